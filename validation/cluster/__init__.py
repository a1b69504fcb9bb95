"""Work on other processes and machines: what a worker does, and the scheduler of Dask that hands it out."""
