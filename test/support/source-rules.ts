/** The rules that every file of `src/` must follow, and a planted fault for each. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesOf, parseImports, type Import } from '../../tools/imports.ts'
import { manyParameters } from '../../tools/sizes.ts'
import { discardedCalls } from '../../tools/discarded-calls.ts'
import { messageBranches } from '../../tools/message-branches.ts'
import { unboundedSpreads } from '../../tools/spread-calls.ts'
import { MAY_IMPORT, MAY_IMPORT_TYPES, rowOf, ROWS } from '../../tools/layers.ts'

const root = join(import.meta.dirname, '..', '..')
export const NOT_FACILITIES = ['core', 'platform', 'rest', 'client', 'cli', 'hooks', 'schedule']

/** Modules of Node that reach the outside; only the platform for Node may use them, besides those named here. */
const OUTSIDE = new Set(
  (
    'fs fs/promises net http https http2 tls dgram dns dns/promises worker_threads child_process cluster os timers ' +
    'timers/promises'
  )
    .split(' ')
    .map((name) => `node:${name}`),
)
const OUTSIDE_ALLOWED = [/^src\/platform\/node\//, /^src\/cli\//, /^src\/main\//, /^src\/client\/(?:node|timers)\.ts$/]

export interface Source {
  readonly file: string
  readonly text: string
  readonly imports: readonly Import[]
}

/** What is wrong with a source, one line each. Given a planted source, the same functions must find the fault. */
export const RULES: Readonly<Record<string, (source: Source) => readonly string[]>> = {
  'imports only folders below its own': ({ file, imports }) => {
    const folder = folderOf(file)
    const allowed = MAY_IMPORT[folder] ?? []
    return inSources(imports)
      .filter(({ target, typesOnly }) => {
        const other = folderOf(target)
        if (other === folder || allowed.includes('*') || allowed.includes(other)) return false
        return !(typesOnly && MAY_IMPORT_TYPES[folder]?.includes(other))
      })
      .map(({ target }) => `${folder} may not import ${target}`)
  },
  'imports only rows below its own': ({ file, imports }) =>
    Object.keys(ROWS)
      .filter((folder) => file.startsWith(`src/${folder}/`))
      .flatMap((folder) => {
        const row = rowOf(folder, file)
        if (row < 0) return [`${file} has no row in tools/layers.ts`]
        return inSources(imports)
          .filter(({ target }) => target.startsWith(`src/${folder}/`) && rowOf(folder, target) > row)
          .map(({ target }) => `${target} is above it`)
      }),
  'names the platform for Node only in main': ({ file, imports }) =>
    /^src\/(main|platform\/node)\//.test(file)
      ? []
      : inSources(imports)
          .filter(({ target }) => target.startsWith('src/platform/node/'))
          .map(({ target }) => `only main may import ${target}`),
  'names the simulated platform nowhere': ({ file, imports }) =>
    file.startsWith('src/platform/sim/')
      ? []
      : inSources(imports)
          .filter(({ target }) => target.startsWith('src/platform/sim/'))
          .map(({ target }) => `only tests may import ${target}`),
  'enters other folders by their front doors': ({ file, imports }) =>
    inSources(imports)
      .filter(({ target }) => dirname(target) !== dirname(file) && !isInside(file, dirname(target)))
      .filter(({ target }) => !frontDoors(dirname(target)).includes(target))
      .map(({ target }) => `${target} is no front door of its folder`),
  'takes time, chance, disk and network as arguments': ({ file, text, imports }) => {
    if (OUTSIDE_ALLOWED.some((pattern) => pattern.test(file))) return []
    const called =
      /\b(Date\.now|Math\.random|setTimeout|setInterval|setImmediate|performance\.now)\(|new Date\(\)/.exec(text)
    return [
      ...(called === null ? [] : [`${called[0]} is an argument, from the platform`]),
      ...imports
        .filter(({ target }) => OUTSIDE.has(target))
        .map(({ target }) => `only platform/node may use ${target}`),
    ]
  },
  'spreads no list of unknown length into a call': ({ file, text }) => unboundedSpreads(file, text),
  'has functions of few parameters': ({ file, text }) => manyParameters(file, text),
  'branches on codes, not on messages': ({ file, text }) => messageBranches(file, text),
  'drops no promise in an expression': ({ file, text }) => discardedCalls(file, text),
  'keeps the transport for Node out of what runs in browsers': ({ file, imports }) =>
    /^src\/(client|rest|core)\//.test(file)
      ? imports.filter(({ target }) => target === 'src/client/node.ts').map(({ target }) => target)
      : [],
  'keeps SQLite to db/': ({ file, imports }) =>
    file.startsWith('src/db/')
      ? []
      : imports.filter(({ target }) => target === 'node:sqlite').map(({ target }) => target),
  'logs as the facility of its folder, or for a folder that it imports': ({ file, text, imports }) =>
    [...text.matchAll(/(?:\b(\w+)Log: )?\blogger\('(\w+)'\)(\.)?/g)].flatMap(([call, name, facility = '', used]) => {
      if (facility === folderOf(file) || (name === facility && used === undefined)) return []
      const isPassedOn = used === undefined && imports.some(({ target }) => folderOf(target) === facility)
      return isPassedOn ? [] : [`${call}: a log line names the folder to open`]
    }),
  'logs only if its folder is a facility': ({ file, text }) =>
    NOT_FACILITIES.includes(folderOf(file)) && /\bLogger\b/.test(text) ? ['may not log'] : [],
}

export function folderOf(file: string): string {
  return file.split('/')[1] ?? ''
}

function isInside(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`)
}

function inSources(imports: readonly Import[]): readonly Import[] {
  return imports.filter(({ target }) => target.startsWith('src/'))
}

/** The files that a folder's README names as its front door; all of them if it names every file. */
export function frontDoors(folder: string): readonly string[] {
  const readme = join(root, folder, 'README.md')
  if (!existsSync(readme)) return []
  const line = /^Front door: (.*)$/m.exec(readFileSync(readme, 'utf8'))?.[1] ?? ''
  if (line.startsWith('every file')) return filesOf(root, `${folder}/*.ts`)
  return [...line.matchAll(/`([\w-]+\.ts)`/g)].map(([, name]) => `${folder}/${name}`)
}

export function sourceOf(file: string, text: string): Source {
  return { file, text, imports: parseImports(file, text) }
}

/** A fault for each rule: the rule must find it. */
export const PLANTED: Readonly<Record<keyof typeof RULES, readonly [file: string, text: string]>> = {
  'imports only folders below its own': ['src/db/x.ts', "import { Model } from '../model/model.ts'"],
  'imports only rows below its own': ['src/core/ignore/x.ts', "import { plan } from '../records/plan.ts'"],
  'names the platform for Node only in main': ['src/model/x.ts', "import { a } from '../platform/node/clock.ts'"],
  'names the simulated platform nowhere': ['src/main/x.ts', "const a = import('../platform/sim/clock.ts')"],
  'enters other folders by their front doors': ['src/main/x.ts', "import { a } from '../protocol/byte-reader.ts'"],
  'takes time, chance, disk and network as arguments': ['src/db/x.ts', "import { readFile } from 'node:fs/promises'"],
  'spreads no list of unknown length into a call': [
    'src/db/leveldb/planted.ts',
    'export const end = (spans: readonly number[]) => Math.max(0, ...spans)',
  ],
  'has functions of few parameters': [
    'src/model/tree/planted.ts',
    'export function put(a: string, b: string, c: string, d: string, e: string) {}',
  ],
  'branches on codes, not on messages': ['src/model/x.ts', "if (messageOf(error) === 'gone') retry()"],
  'drops no promise in an expression': ['src/model/x.ts', 'export const a = () => void save()'],
  'keeps the transport for Node out of what runs in browsers': ['src/client/x.ts', "export * from './node.ts'"],
  'keeps SQLite to db/': ['src/stats/x.ts', "import { DatabaseSync } from 'node:sqlite'"],
  'logs as the facility of its folder, or for a folder that it imports': [
    'src/main/x.ts',
    "deps.logger('model').warn('a')",
  ],
  'logs only if its folder is a facility': ['src/core/x.ts', 'export function a(log: Logger) {}'],
}
