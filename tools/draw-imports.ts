/**
 * Draws the imports of src/: a box per folder with its rooms, an arrow for every import that no longer way implies.
 * `node tools/draw-imports.ts FILE.svg` writes the picture; it is not kept in the tree, where it would age.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf, readImports } from './imports.ts'

const root = join(import.meta.dirname, '..')
const BOX = { width: 122, gapX: 22, gapY: 46, lineHeight: 15, padding: 10 }
const WIDTH = 1_180

interface Folder {
  readonly name: string
  readonly rooms: readonly string[]
  readonly files: number
}

interface Box extends Folder {
  readonly x: number
  readonly y: number
  readonly height: number
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>

function folderOf(file: string): string {
  return file.split('/')[1] ?? ''
}

/** Which folder imports which; imports of types only count, too. */
function importGraph(files: readonly string[]): Graph {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const from = folderOf(file)
    const targets = graph.get(from) ?? new Set<string>()
    graph.set(from, targets)
    for (const { target } of readImports(root, file)) {
      if (target.startsWith('src/') && folderOf(target) !== from) targets.add(folderOf(target))
    }
  }
  return graph
}

/** The longest way down from each folder. */
function levelsOf(graph: Graph): ReadonlyMap<string, number> {
  const levels = new Map<string, number>()
  const levelOf = (name: string): number => {
    const known = levels.get(name)
    if (known !== undefined) return known
    const level = Math.max(-1, ...[...(graph.get(name) ?? [])].map(levelOf)) + 1
    levels.set(name, level)
    return level
  }
  for (const name of graph.keys()) levelOf(name)
  return levels
}

/** Without arrows that another way implies. */
function reduced(graph: Graph): readonly (readonly [from: string, to: string])[] {
  const reaches = (from: string, to: string): boolean =>
    [...(graph.get(from) ?? [])].some((next) => next === to || reaches(next, to))
  return [...graph].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to) => [from, to] as const),
  )
}

function roomsOf(name: string, files: readonly string[]): readonly string[] {
  const inside = files.filter((file) => folderOf(file) === name && file.split('/').length > 3)
  return [...new Set(inside.map((file) => file.split('/')[2]!))].sort()
}

function place(folders: readonly Folder[], levels: ReadonlyMap<string, number>): readonly Box[] {
  const boxes: Box[] = []
  let y = 16
  for (let level = Math.max(...levels.values()); level >= 0; level--) {
    const row = folders.filter(({ name }) => levels.get(name) === level)
    const height = Math.max(0, ...row.map(heightOf))
    const width = row.length * BOX.width + (row.length - 1) * BOX.gapX
    row.forEach((folder, index) => {
      boxes.push({ ...folder, x: (WIDTH - width) / 2 + index * (BOX.width + BOX.gapX), y, height: heightOf(folder) })
    })
    y += height + BOX.gapY
  }
  return boxes
}

function heightOf({ rooms }: Folder): number {
  return 2 * BOX.padding + (2 + rooms.length) * BOX.lineHeight
}

function drawBox({ name, rooms, files, x, y, height }: Box): string {
  const line = (text: string, index: number, kind: string) =>
    `<text class="${kind}" x="${x + BOX.padding}" y="${y + BOX.padding + 12 + index * BOX.lineHeight}">${text}</text>`
  return [
    `<rect x="${x}" y="${y}" width="${BOX.width}" height="${height}" rx="6"/>`,
    line(name, 0, 'name'),
    line(`${files} files`, 1, 'note'),
    ...rooms.map((room, index) => line(`${room}/`, index + 2, 'room')),
  ].join('\n')
}

function drawArrow(from: Box, to: Box): string {
  const x1 = from.x + BOX.width / 2
  const x2 = to.x + BOX.width / 2
  const [y1, y2] = [from.y + from.height, to.y]
  const bend = (y2 - y1) / 2
  return `<path d="M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}" marker-end="url(#tip)"/>`
}

const STYLE = `
rect { fill: #f4f6f8; stroke: #8794a1 }
text { font: 12px system-ui, sans-serif; fill: #1c2733 }
.name { font-weight: 600 } .note { fill: #5b6875 }
path { fill: none; stroke: #8794a1 } marker path { fill: #8794a1; stroke: none }
@media (prefers-color-scheme: dark) {
  rect { fill: #1d2630; stroke: #5f6f80 } text { fill: #e6ebf0 } .note { fill: #9aa8b6 }
  path { stroke: #5f6f80 } marker path { fill: #5f6f80 }
}`

export function architectureSvg(): string {
  const files = filesOf(root, 'src/**/*.ts')
  const graph = importGraph(files)
  const folders = [...graph.keys()].sort().map((name) => ({
    name,
    rooms: roomsOf(name, files),
    files: files.filter((file) => folderOf(file) === name).length,
  }))
  const boxes = place(folders, levelsOf(graph))
  const box = (name: string) => boxes.find((each) => each.name === name)!
  const height = Math.max(...boxes.map((each) => each.y + each.height)) + 16
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>The folders of src/ and who imports whom, from main at the top to core at the bottom</title>
<style>${STYLE}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 8 4 0 8z"/></marker></defs>
${reduced(graph)
  .map(([from, to]) => drawArrow(box(from), box(to)))
  .join('\n')}
${boxes.map(drawBox).join('\n')}
</svg>
`
}

if (process.argv[1] === import.meta.filename) {
  const [target] = process.argv.slice(2)
  if (target === undefined) throw new Error('usage: node tools/draw-imports.ts FILE.svg')
  writeFileSync(target, architectureSvg())
}
