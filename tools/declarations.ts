import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exported } from './bundle.ts'
import { manifest, root } from './manifest.ts'

/** The module names after `from` or in `import(…)` of a declaration file. */
const SPECIFIER = /(\bfrom\s+|\bimport\(|\bimport\s+)(['"])([^'"]+)\2/g

/** Checks all types, and writes the declarations of what is exported and those that they refer to. */
export function writeDeclarations(target: string): void {
  const scratch = mkdtempSync(join(root, 'node_modules', '.build-'))
  try {
    compile(scratch)
    const waiting = Object.keys(exported()).map((name) => `${name}.d.ts`)
    const written = new Set<string>()
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (written.has(file)) continue
      written.add(file)
      waiting.push(...copyDeclaration(scratch, target, file))
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function compile(scratch: string): void {
  const project = join(scratch, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, 'src'),
    outDir: scratch,
    typeRoots: [join(root, 'node_modules', '@types')],
  }
  const include = [join(root, 'src')]
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include }))
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const result = spawnSync(process.execPath, [compiler, '-p', project], { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status !== 0) throw new Error('the types are wrong, see above')
}

/** Copies one file, with the names of compiled files in its imports, and returns the files that it refers to. */
export function copyDeclaration(from: string, to: string, file: string): readonly string[] {
  const referred: string[] = []
  const text = readFileSync(join(from, file), 'utf8')
  const rewritten = text.replace(SPECIFIER, (_, before: string, quote: string, specifier: string) => {
    if (!specifier.startsWith('.')) refuseForeign(file, specifier)
    else referred.push(join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')))
    return `${before}${quote}${specifier.replace(/^(\..*)\.ts$/, '$1.js')}${quote}`
  })
  if (/<reference\s+types/.test(text)) refuseForeign(file, 'a types reference')
  mkdirSync(dirname(join(to, file)), { recursive: true })
  writeFileSync(join(to, file), rewritten)
  return referred
}

/** An installation has the dependencies of the package, and none of those for development. */
function refuseForeign(file: string, specifier: string): void {
  if (Object.keys(manifest.dependencies).some((name) => specifier === name || specifier.startsWith(`${name}/`))) return
  throw new Error(`${file}: refers to ${specifier}, which is not installed with the package; export no types of it`)
}
