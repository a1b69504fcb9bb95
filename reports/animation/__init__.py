"""A motion as one file of HTML that plays it: times of frames, tracks of points, the page."""
