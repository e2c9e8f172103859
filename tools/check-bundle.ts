import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vite'

type Node = ReturnType<typeof parseAst>['body'][number]

/** Throws for a built page that no browser could start: a missing file, a syntax error, an import of nothing. */
export function checkBundle(directory: string): void {
  const page = readFileSync(join(directory, 'index.html'), 'utf8')
  const named = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path = '']) => path)
  if (!named.some((path) => path.endsWith('.js')) || !named.some((path) => path.endsWith('.css')))
    throw new Error('the built page has no script or no style')
  for (const path of named) requireFile(directory, path)
  const scripts = readdirSync(join(directory, 'assets')).filter((name) => name.endsWith('.js'))
  const parsed = new Map(scripts.map((name) => [name, parseScript(directory, name)]))
  for (const [name, body] of parsed) for (const node of body) checkImport(name, node, parsed)
}

function requireFile(directory: string, path: string): void {
  if (!existsSync(join(directory, path))) throw new Error(`the built page names ${path}, which is missing`)
}

function parseScript(directory: string, name: string): readonly Node[] {
  try {
    return parseAst(readFileSync(join(directory, 'assets', name), 'utf8')).body
  } catch (error) {
    throw new Error(`the built script ${name} cannot be parsed`, { cause: error })
  }
}

function checkImport(name: string, node: Node, parsed: ReadonlyMap<string, readonly Node[]>): void {
  if (node.type !== 'ImportDeclaration' || typeof node.source.value !== 'string') return
  const target = parsed.get(node.source.value.replace(/^\.\//, ''))
  if (target === undefined) throw new Error(`the built script ${name} imports ${node.source.value}, which is missing`)
  const exported = exportsOf(target)
  for (const specifier of node.specifiers) {
    if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') continue
    if (!exported.has(specifier.imported.name))
      throw new Error(`the built script ${name} imports ${specifier.imported.name}, which nothing exports`)
  }
}

function exportsOf(body: readonly Node[]): ReadonlySet<string> {
  const names = body.flatMap((node) =>
    node.type === 'ExportNamedDeclaration'
      ? node.specifiers.map(({ exported }) => (exported.type === 'Identifier' ? exported.name : ''))
      : [],
  )
  return new Set(names)
}
