import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..', '..')
const PAGES = ['docs/automation.md', 'docs/rest.md', 'docs/manual/scripting.md']

test('the documented examples of the client compile', () => {
  const examples = PAGES.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const found = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code)
    assert.ok(found.length > 0, page)
    return found
  })
  // Below the project, so that its packages are found.
  const directory = mkdtempSync(join(ROOT, 'node_modules', '.cache', 'examples-'))
  try {
    const files = examples.map((code, index) => {
      writeFileSync(join(directory, `example-${index}.mts`), code)
      return `example-${index}.mts`
    })
    const client = join(ROOT, 'src', 'client')
    const paths = { twinfold: [join(client, 'public.ts')], 'twinfold/node': [join(client, 'node.ts')] }
    const config = join(directory, 'tsconfig.json')
    // Without `include` the files of the project would be checked as well, as they are elsewhere.
    const project = { extends: join(ROOT, 'tsconfig.json'), compilerOptions: { paths }, files, include: [] }
    writeFileSync(config, JSON.stringify(project))
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const result = spawnSync(process.execPath, [compiler, '--noEmit', '-p', config], { encoding: 'utf8' })
    assert.deepEqual([result.status, result.stdout], [0, ''])
  } finally {
    rmSync(directory, { recursive: true })
  }
})
