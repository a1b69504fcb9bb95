"""Programs as C99 that is shipped: header, source, a test program and a file for CMake."""
