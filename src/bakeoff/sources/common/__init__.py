"""What sources share: the keys of every data set, tables in files, the web."""
