/** The circles of a graph: the files of each reach each other. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const files = [...graph.keys()];
  const reached = new Map(files.map((file) => [file, reach(file, graph)]));
  const isBelow = (file: string, other: string): boolean => reached.get(other)?.has(file) === true;
  const circles: string[][] = [];
  for (const file of files)
    if (isBelow(file, file) && !circles.some((circle) => circle.includes(file)))
      circles.push(files.filter((other) => isBelow(other, file) && isBelow(file, other)));
  return circles;
}

/** What a file imports, and what that imports in turn; itself only in a circle. */
function reach(file: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const waiting = [...(graph.get(file) ?? [])];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    waiting.push(...(graph.get(next) ?? []));
  }
  return found;
}
