/** Leaves out faults that the type checker finds: they never come to a test. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plantedSource, type Mutant } from './mutate.ts'

/** Rules of style are off: a planted fault often leaves a name unused or a line unreachable. */
const OPTIONS = { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true }

/** Each mutant becomes a file beside its original in a copy of the sources, and all of them are checked in one run. */
export function withValidTypes(root: string, mutants: readonly Mutant[]): readonly Mutant[] {
  const copy = mkdtempSync(join(tmpdir(), 'twinfold-mutants-'))
  try {
    cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const files = mutants.map(besideOf)
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions: OPTIONS, files, include: [] }
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ type: 'module' }))
    for (const [index, mutant] of mutants.entries()) {
      const source = readFileSync(join(root, mutant.file), 'utf8')
      writeFileSync(join(copy, files[index]!), plantedSource(source, mutant))
    }
    const wrong = filesWithErrors(root, copy)
    return mutants.filter((_, index) => !wrong.has(files[index]!))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function besideOf(mutant: Mutant, index: number): string {
  return mutant.file.replace(/\.ts$/, `.mutant-${index}.ts`)
}

function filesWithErrors(root: string, copy: string): ReadonlySet<string> {
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const { stdout, error } = spawnSync(tsc, ['-p', copy, '--pretty', 'false'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (error) throw error
  const files = new Set([...stdout.matchAll(/^([^\s(]+)\(\d+,\d+\): error /gm)].map((match) => match[1]!))
  const foreign = [...files].filter((file) => !/\.mutant-\d+\.ts$/.test(file))
  if (foreign.length > 0) throw new Error(`the type checker fails without any planted fault: ${foreign[0]}`)
  return files
}
