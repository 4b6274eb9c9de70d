"""The Python interface: results, predictions, fold scores or a search, compared and shown."""
