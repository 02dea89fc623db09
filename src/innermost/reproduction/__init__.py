"""The paper's tables again, on any corpus: trained, measured, and printed beside its figures."""
