"""Work on other processes and machines: workers, and the Dask scheduler that distributes it."""
