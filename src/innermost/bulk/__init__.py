"""Predict on many files: blocks of rows, processes, rejects, resume.

shards.py      the input files, and the output file of each
rows.py        rows of JSON lines, text and CSV; unreadable ones are rejects
parquet.py     the same for Parquet, and nested columns out
blocks.py      rows in blocks that depend only on the content
worker.py      one block: predict, write a part
pool.py        processes that share the model's memory
parts.py       the parts of a shard, and the shard assembled from them
state.py       what is done, so that a run can be resumed
manifest.py    manifest.json and rejects.jsonl
run.py         all of it
"""
