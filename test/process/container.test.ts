import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { endOf, runCommand, startCommand } from '../support/command.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const entry = join(ROOT, 'src', 'main', 'container.ts')

test('the entry of the image: refused while open, healthy once it runs, stopped by SIGTERM', async () => {
  using scratch = scratchDirectory()
  const env = { STHOMEDIR: scratch.path, STGUIADDRESS: '0.0.0.0:1' }
  const refused = await runCommand(['serve'], { entry, env })
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /^twinfold: error: the page on 0\.0\.0\.0:1 would be open .*generate --gui-user NAME/)
  assert.equal((await runCommand(['health'], { entry, env })).code, 1)

  const generated = await runCommand(['generate', '--gui-user=ann', '--gui-password=-'], {
    entry,
    env,
    input: 'secret\n',
  })
  assert.equal(generated.code, 0, generated.err)
  const daemon = startCommand(['serve'], { entry, env: { ...env, STGUIADDRESS: '127.0.0.1:0' } })
  let output = ''
  daemon.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  try {
    const address = await eventually('the page', () => /http:\/\/(127\.0\.0\.1:\d+)/.exec(output)?.[1])
    const health = () => runCommand(['health'], { entry, env: { ...env, STGUIADDRESS: address } })
    assert.deepEqual(await health(), { code: 0, out: '', err: '' })
    daemon.kill('SIGTERM')
    assert.equal(await endOf(daemon), 0)
    const gone = await health()
    assert.equal(gone.code, 1)
    assert.match(gone.err, /^twinfold: error: unhealthy: /)
  } finally {
    if (daemon.exitCode === null && daemon.kill('SIGKILL')) await once(daemon, 'exit')
  }
})

test('the Containerfile: not root, the page closed, a health check, and nothing from here in the build', () => {
  const text = readFileSync(join(ROOT, 'Containerfile'), 'utf8')
  assert.match(text, /^USER 1000:1000$/m)
  assert.match(text, /STGUIADDRESS=127\.0\.0\.1:8384/)
  assert.match(text, /^HEALTHCHECK [\s\S]*"health"\]$/m)
  assert.match(text, /^VOLUME \["\/var\/lib\/twinfold", "\/data"\]$/m)
  assert.equal((text.match(/^RUN npm ci .*--ignore-scripts/gm) ?? []).length, 2)
  const ignored = readFileSync(join(ROOT, '.containerignore'), 'utf8').split('\n')
  assert.ok(ignored.includes('*') && ignored.includes('**/node_modules'))
})
