/** Compiles src/ to dist/, or to the directory named, for publishing: Node does not strip types below node_modules. */
import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildGui } from './gui-build.ts'

const root = join(import.meta.dirname, '..')
const project = join(root, 'node_modules', `.build-${process.pid}.tsconfig.json`)
const target = resolve(process.argv[2] ?? join(root, 'dist'))
rmSync(target, { recursive: true, force: true })
writeFileSync(
  project,
  JSON.stringify({
    extends: '../tsconfig.json',
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rootDir: '../src',
      outDir: target,
      rewriteRelativeImportExtensions: true,
      typeRoots: ['./@types'],
    },
    include: ['../src'],
  }),
)
const result = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project], { cwd: root, stdio: 'inherit' })
rmSync(project)
if (result.status === 0) await buildGui(join(target, 'gui'))
if (result.status === 0) chmodSync(join(target, 'main', 'bin.js'), 0o755)
process.exitCode = result.status ?? 1
