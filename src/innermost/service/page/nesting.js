// How entities nest in the drawn text. The same rules as rendering/nesting.py and
// rendering/boxes.py; tests keep them consistent.

/** Properly nested pieces that cover the entities: sorted by start, outer before inner. */
export function pieces(entities) {
  const result = [], around = [];
  const open = (entity, start) => {
    const piece = { start, end: entity.end, entity, depth: around.length };
    result.push(piece);
    around.push(piece);
  };
  const close = (before) => {
    while (around.length) {
      const end = around.reduce((least, piece) => Math.min(least, piece.entity.end), Infinity);
      if (end > before) return;
      const inner = around.splice(around.findIndex((piece) => piece.entity.end === end));
      for (const piece of inner) {
        piece.end = end;
        if (piece.entity.end > end) open(piece.entity, end);
      }
    }
  };
  for (const entity of entities) {
    close(entity.start);
    open(entity, entity.start);
  }
  close(Infinity);
  return result;
}

/** A lane for each entity: 0 nearest to the text, above the lanes of all that it overlaps. */
export function setLanes(entities) {
  for (let index = entities.length - 1; index >= 0; index--) {
    const entity = entities[index];
    entity.lane = 0;
    for (let i = index + 1; i < entities.length && entities[i].start < entity.end; i++)
      entity.lane = Math.max(entity.lane, entities[i].lane + 1);
  }
}

/** Parts of the text that are laid out independently; no entity spans two of them. */
export function chunks(text, entities) {
  const result = [];
  let start = 0, covered = 0, index = 0;
  for (let position = 399; position < text.length; position++) {
    const size = position + 1 - start;
    const sign = text[position];
    if (size < 400 || (sign !== "\n" && (size < 8000 || sign !== " "))) continue;
    while (index < entities.length && entities[index].start <= position)
      covered = Math.max(covered, entities[index++].end);
    if (covered <= position + 1) {
      result.push([start, position + 1]);
      start = position + 1;
    }
  }
  if (start < text.length || !result.length) result.push([start, text.length]);
  return result;
}
