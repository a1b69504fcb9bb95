"""Programs as C99 for export: header, source, a test program and a file for CMake."""
