import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manifest } from '../../tools/manifest.ts'
import { evaluate, runTwinfold, startWindows, windowsDirectory } from '../support/windows.ts'

test('Node for Windows runs, and the program says its version', () => {
  assert.equal(evaluate<string>('console.log(JSON.stringify(process.platform))'), 'win32')
  const { code, output } = runTwinfold(['--version'])
  assert.equal(code, 0, output)
  assert.match(output, new RegExp(`v${manifest.version}`))
})

test('a first start makes a home, and serves REST and the page', async () => {
  using scratch = windowsDirectory()
  await using member = await startWindows(scratch.path)
  assert.deepEqual(await member.daemon.get('/rest/system/ping'), { ping: 'pong' })
  const { os, arch } = (await member.daemon.get('/rest/system/version')) as { os: string; arch: string }
  assert.equal(`${os} ${arch}`, 'windows amd64')
  const page = await member.daemon.request('GET', '/')
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<html/)
})
