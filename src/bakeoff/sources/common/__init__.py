"""Shared parts of sources: keys of every data set, tables in files, downloads."""
