"""What Python asks for: results, predictions, folds or a search at hand, compared and shown."""
