/** Devices whose settings for the encryption of a folder contradict each other, by commands. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEndpoint } from '../../src/client/endpoint.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { runCli } from '../../src/cli/program.ts'
import { Client } from '../../src/client/client.ts'
import { recordingContext } from '../support/cli.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

async function run({ daemon }: Member, ...args: string[]) {
  const transport = nodeTransport(parseEndpoint(daemon.url, { useTls: false }))
  const { context, out, err } = recordingContext(new Client({ transport, apiKey: daemon.apiKey }))
  const code = await runCli(context, args)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

async function isConnected({ daemon }: Member, peer: Member): Promise<boolean> {
  const { connections } = (await daemon.get('/rest/system/connections')) as {
    connections: Record<string, { connected: boolean } | undefined>
  }
  return connections[peer.id]?.connected === true
}

test('a readable copy cannot become an encrypted one; a corrected setting connects the devices again', async () => {
  using scratch = scratchDirectory()
  await using anna = await startMember(scratch.path, 'anna')
  await using ben = await startMember(scratch.path, 'ben')
  mkdirSync(anna.root)
  writeFileSync(join(anna.root, 'a.txt'), 'hello')
  await connect(anna, ben)
  await anna.daemon.post('/rest/db/scan?folder=docs')
  await inSync([anna, ben])

  const shared = await run(anna, 'folder', 'share', 'docs', 'peer', '--untrusted')
  assert.deepEqual([shared.code, shared.out], [1, ''])
  assert.match(shared.err, /folder "docs" is shared with "peer" in readable form/)
  assert.equal((await run(anna, 'folder', 'unshare', 'docs', 'peer')).code, 0)
  await eventually('the offer of the copy', async () => /docs/.test((await run(anna, 'pending')).out) || undefined)
  const offered = await run(anna, 'folder', 'share', 'docs', 'peer', '--untrusted')
  assert.match(offered.err, /"peer" has "docs" in readable form/)

  // An hour between attempts: only the change of the setting can connect them.
  for (const { daemon } of [anna, ben])
    await daemon.request('PATCH', '/rest/config/options', { reconnectionIntervalS: 3_600 })
  const set = (encryptionPassword: string) =>
    anna.daemon.request('PATCH', '/rest/config/folders/docs', {
      devices: [{ deviceID: anna.id }, { deviceID: ben.id, encryptionPassword }],
    })
  await set('hunter2')
  const why = await eventually('the contradiction', async () => {
    const { out } = await run(anna, 'why', 'peer')
    return /remote expects to exchange plain data|expects to exchange encrypted data/.test(out) ? out : undefined
  })
  assert.doesNotMatch(why, /connected already|reached/)
  await eventually('the end of the connection', async () => !(await isConnected(anna, ben)) || undefined)
  await set('')
  await eventually('both connected', async () => (await isConnected(anna, ben)) || undefined, 60_000)
  await inSync([anna, ben])
})

test('why: files of a removed disk are not called here', async () => {
  using scratch = scratchDirectory()
  await using anna = await startMember(scratch.path, 'anna')
  mkdirSync(anna.root)
  writeFileSync(join(anna.root, 'a.txt'), 'hello')
  await anna.daemon.addFolder('docs', anna.root)
  await anna.daemon.post('/rest/db/scan?folder=docs')
  assert.match((await run(anna, 'why', 'docs', 'a.txt')).out, /it is here, in the newest version/)
  rmSync(join(anna.root, '.stfolder'), { recursive: true })
  rmSync(join(anna.root, 'a.txt'))
  assert.match((await run(anna, 'why', 'docs', 'a.txt')).out, /it was here at the last scan and is not now/)
  const scanned = await run(anna, 'scan', 'docs')
  assert.match(scanned.err, /the folder marker is missing: the disk is probably not mounted at \S*anna\./)
  const { out } = await run(anna, 'why', 'docs', 'a.txt')
  assert.match(out, /the folder has stopped: the folder marker is missing: the disk is probably not mounted at/)
  assert.doesNotMatch(out, /\bhere\b|forum/)
  assert.match(
    anna.daemon.output,
    /folder docs stopped: the folder marker is missing: the disk is probably not mounted at/,
  )
})
