/** Compiles src/ to dist/ for publishing: Node does not strip types below node_modules. */
import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const project = join(root, 'node_modules', '.build.tsconfig.json')
rmSync(join(root, 'dist'), { recursive: true, force: true })
writeFileSync(
  project,
  JSON.stringify({
    extends: '../tsconfig.json',
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rootDir: '../src',
      outDir: '../dist',
      rewriteRelativeImportExtensions: true,
      typeRoots: ['./@types'],
    },
    include: ['../src'],
  }),
)
const result = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project], { cwd: root, stdio: 'inherit' })
rmSync(project)
if (result.status === 0) chmodSync(join(root, 'dist', 'main', 'bin.js'), 0o755)
process.exitCode = result.status ?? 1
