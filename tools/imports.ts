/** Reads the imports of source files, for the layer tests, the architecture drawing and the mutation runs. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface Import {
  /** The file that is imported, from the root of the repository; the name of the module if it is a package. */
  readonly target: string
  readonly typesOnly: boolean
  readonly line: number
}

export function filesOf(root: string, pattern: string | readonly string[]): readonly string[] {
  return globSync(pattern, { cwd: root })
    .map((file) => file.split(sep).join('/'))
    .sort()
}

export function readImports(root: string, file: string): readonly Import[] {
  return parseImports(file, readFileSync(join(root, file), 'utf8'))
}

/** All imports and re-exports of a source, lazy ones included. */
export function parseImports(file: string, source: string): readonly Import[] {
  const { module, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const found: Import[] = []
  const add = (specifier: string, typesOnly: boolean, start: number) =>
    found.push({ target: resolve(file, specifier), typesOnly, line: source.slice(0, start).split('\n').length })
  for (const { moduleRequest, entries, start } of module.staticImports) {
    const isBare = entries.length === 0
    add(moduleRequest.value, !isBare && entries.every((entry) => entry.isType), start)
  }
  for (const { entries, start } of module.staticExports) {
    const from = entries.filter((entry) => entry.moduleRequest !== null)
    if (from.length > 0)
      add(
        from[0]!.moduleRequest!.value,
        from.every((entry) => entry.isType),
        start,
      )
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const specifier = /^(['"`])([^'"`$]+)\1$/.exec(source.slice(moduleRequest.start, moduleRequest.end))?.[2]
    if (specifier !== undefined) add(specifier, false, start)
  }
  return found
}

function resolve(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier
  return relative('.', join(dirname(file), specifier))
    .split(sep)
    .join('/')
}

/** Groups of files that import each other, directly or through others (Tarjan's algorithm), each sorted. */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const circles: string[][] = []
  const numbers = new Map<string, number>()
  const stack: string[] = []
  const visit = (file: string): number => {
    const number = numbers.size
    numbers.set(file, number)
    stack.push(file)
    let lowest = number
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue
      if (!numbers.has(target)) lowest = Math.min(lowest, visit(target))
      else if (stack.includes(target)) lowest = Math.min(lowest, numbers.get(target)!)
    }
    if (lowest === number) {
      const circle = stack.splice(stack.indexOf(file))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return lowest
  }
  for (const file of graph.keys()) if (!numbers.has(file)) visit(file)
  return circles
}
