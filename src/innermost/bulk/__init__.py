"""Many files of texts to files of predictions: blocks of rows, processes, rejects, resume.

shards.py      the input files, and the output file of each
rows.py        rows of JSON lines, text and CSV; what cannot be read is a reject
parquet.py     the same for Parquet, and nested columns out
blocks.py      rows in blocks that depend on the content alone
worker.py      one block: predict, write a part
pool.py        processes that share the model's memory
parts.py       the parts of a shard, and the shard assembled from them
state.py       what is done, so that a run can be resumed
manifest.py    manifest.json and rejects.jsonl
run.py         all of it
"""
