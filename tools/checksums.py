"""Rewrite SHA256SUMS of model folders after intentional edits.

python tools/checksums.py src/innermost/models/genia
"""

from __future__ import annotations

import sys
from pathlib import Path

from innermost.model_folder.info import read_info
from innermost.model_folder.manifest import remove_manifest, write_manifest

for folder in map(Path, sys.argv[1:]):
    remove_manifest(folder)
    info = read_info(folder)
    write_manifest(folder)
    print(f"{folder}: {info.name or folder.name} {info.version}")
