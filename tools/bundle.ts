import { isAscii } from 'node:buffer'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { compileFunction } from 'node:vm'
import { rolldown, type InputOptions, type OutputOptions } from 'rolldown'
import { CACHED_GROUPS, daemonGroups } from './bundle-groups.ts'
import { manifest, root } from './manifest.ts'

/** Packages that stay outside: npm installs them, native code for the machine at hand among them. */
const external = Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`))

const INPUT: InputOptions = {
  cwd: root,
  platform: 'node',
  external,
  tsconfig: false,
  resolve: { mainFields: ['module', 'main'] },
  // Modules that both the daemon and a command need are imported both ways on purpose.
  checks: { ineffectiveDynamicImport: false },
  onLog: (level, log) => {
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
    if (level === 'warn') process.stderr.write(`rolldown: ${log.message}\n`)
  },
}

/** Nothing is minified: stack traces keep names and lines, comments name the source file. */
const OUTPUT: OutputOptions = { format: 'esm', comments: { legal: true, annotation: true, jsdoc: false } }

/**
 * Bundles the program, its threads and what `exports` of package.json names into the directory. All files of the
 * program are two levels below the package, as those of src/main are: paths relative to a module hold in both. Returns
 * the modules used.
 */
export async function bundle(target: string): Promise<readonly string[]> {
  const entries = {
    bin: 'src/main/bin.ts',
    container: 'src/main/container.ts',
    'run-script': 'src/platform/node/run-script.ts',
  }
  const program = await write(
    { input: entries, preserveEntrySignatures: 'allow-extension' },
    { dir: join(target, 'main'), ...named(''), codeSplitting: daemonGroups() },
    ofProgram,
  )
  for (const group of CACHED_GROUPS) splitScript(join(target, 'main'), group)
  const modules = [...program, ...(await write({ input: exported() }, { dir: target, ...named('client/') }))]
  for (const worker of globSync('src/**/*-worker.ts', { cwd: root })) {
    const file = join(target, 'main', `${basename(worker, '.ts')}.js`)
    if (existsSync(file)) throw new Error(`${worker}: ${file} is written already; name the thread otherwise`)
    // One file each: a thread loads nothing that it does not run.
    modules.push(...(await write({ input: worker }, { file, codeSplitting: false }, ofProgram)))
  }
  return modules
}

function named(directory: string): OutputOptions {
  return { entryFileNames: '[name].js', chunkFileNames: `${directory}[name].js` }
}

/** The sources of everything that programs may import, by the name of the compiled file without its ending. */
export function exported(): Readonly<Record<string, string>> {
  const files = Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default]))
  return Object.fromEntries(
    files.map((file) => {
      const name = /^\.\/dist\/(.+)\.js$/.exec(file)?.[1]
      if (name === undefined) throw new Error(`package.json: exports: ${file} is not a script below dist`)
      return [name, `src/${name}.ts`]
    }),
  )
}

/** Writes the files, each edited; returns the modules used. */
async function write(input: InputOptions, output: OutputOptions, edit = asciiOnly): Promise<readonly string[]> {
  const build = await rolldown({ ...INPUT, ...input })
  try {
    const { output: files } = await build.write({ ...OUTPUT, ...output })
    const chunks = files.filter((file) => file.type === 'chunk')
    for (const { fileName, code } of chunks) {
      const directory = output.dir ?? dirname(output.file!)
      const edited = edit(code)
      if (edited !== code) writeFileSync(join(directory, fileName), edited)
    }
    return chunks.flatMap(({ moduleIds }) => moduleIds)
  } finally {
    await build.close()
  }
}

/** V8 keeps a source with any other character in two bytes each: 3 MiB more at the start of the daemon. */
function asciiOnly(code: string): string {
  if (isAscii(Buffer.from(code))) return code
  return code.replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const BUILTIN_IMPORT = /^import (?:(\w+)|(\{[^}]*\})) from ("node:[^"]+");$/gm

/**
 * An import of a module of Node reads each of its exports once, also those that load something when they are read
 * (`WebSocket` of `node:http` loads a whole HTTP client): 12 ms of processor time at each start.
 */
function ofProgram(code: string): string {
  return asciiOnly(code).replace(BUILTIN_IMPORT, (_, whole?: string, named?: string, name?: string) => {
    return `const ${whole ?? named!.replaceAll(' as ', ': ')} = globalThis.process.getBuiltinModule(${name});`
  })
}

/**
 * Moves what a module consists of into a script, which can be compiled with a better cache (`run-script.ts`): the
 * module is left with its imports and exports.
 */
function splitScript(directory: string, name: string): void {
  const module = join(directory, `${name}.js`)
  const { stub, script } = asScript(readFileSync(module, 'utf8'), `${name}-script.js`)
  compileFunction(script, ['__imports', '__meta', '__load']) // throws at a mistake
  writeFileSync(join(directory, `${name}-script.js`), script)
  writeFileSync(module, stub)
}

const IMPORT_LINE = /^import \{ ([^}]*) \} from "\.\/[^"]+";$/
const EXPORT_LINE = /^export \{ ([^}]*) \};$/

/** As the bundler writes them: imports first, one line each, and one list of exports at the end. */
export function asScript(code: string, file: string): { readonly stub: string; readonly script: string } {
  const lines = code.trimEnd().split('\n')
  const begin = lines.findIndex((line) => !line.startsWith('import '))
  const imports = lines.slice(0, begin)
  const exported = EXPORT_LINE.exec(lines.at(-1)!)?.[1]
  if (exported === undefined) throw new Error(`${file}: the last line exports nothing`)
  const body = lines.slice(begin, -1).join('\n')
  const taken = imports.flatMap((line) => {
    const list = IMPORT_LINE.exec(line)?.[1]
    if (list === undefined) throw new Error(`${file}: not an import of a part of the program: ${line}`)
    return list.split(', ').map((each) => each.split(' as ').at(-1)!)
  })
  const given = exported.split(', ').map((each) => each.split(' as ')[0]!)
  for (const each of given)
    if (new RegExp(`^(?:let|var) (?:[^=]*, )?${each.replaceAll('$', '\\$')}(?:[;,]|$)`, 'm').test(body))
      throw new Error(`${file}: ${each} gets its value later, when its importers have read it already`)
  const local = body.replace(/(?<![\w.$"'`])import\.meta\b/g, '__meta').replace(/(?<![\w.$"'`])import\(/g, '__load(')
  const stub = [
    ...imports,
    'import { runScript } from "./run-script.js";',
    'const __load = (name) => import(name);',
    `const { ${given.join(', ')} } = runScript("${file}", { ${taken.join(', ')} }, import.meta, __load);`,
    lines.at(-1)!,
    '',
  ].join('\n')
  const head = `"use strict"; const { ${taken.join(', ')} } = __imports;`
  const script = `${head}\n${local}\nreturn { ${given.join(', ')} };\n`
  return { stub, script: `/* ${createHash('sha256').update(script).digest('hex').slice(0, 32)} */ ${script}` }
}
