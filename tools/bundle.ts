import { isAscii } from 'node:buffer'
import { existsSync, globSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rolldown, type InputOptions, type OutputOptions } from 'rolldown'
import { daemonGroups } from './bundle-groups.ts'
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
  const entries = { bin: 'src/main/bin.ts', container: 'src/main/container.ts' }
  const program = await write(
    { input: entries, preserveEntrySignatures: 'allow-extension' },
    { dir: join(target, 'main'), ...named(''), codeSplitting: daemonGroups() },
    ofProgram,
  )
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
