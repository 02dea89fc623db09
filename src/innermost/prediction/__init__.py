"""From files of texts to files of predictions: one record out for each record in."""
