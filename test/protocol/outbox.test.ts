import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode } from '../../src/core/wire/schema.ts'
import { writeClusterConfig } from '../../src/protocol/cluster-config.ts'
import { CLUSTER_CONFIG } from '../../src/protocol/messages.ts'
import { Outbox } from '../../src/protocol/outbox.ts'
import { ScriptedStream } from './scripted-stream.ts'

test('after the end no message is written, not even a last one', async () => {
  const stream = new ScriptedStream()
  const outbox = new Outbox({ stream, nowMs: () => 0, onFailure: () => {} })
  outbox.end(new Error('ended'))
  await assert.rejects(outbox.finish([new Uint8Array(1)], new Error('closed')), /ended/)
  await assert.rejects(outbox.send('fast', [new Uint8Array(1)]), /ended/)
  assert.deepEqual(stream.written, [])
})

for (const [paused, expected] of [
  [false, 0],
  [true, 1],
] as const) {
  test(`the stop reason of a folder that is ${paused ? 'paused' : 'running'} is ${expected}`, () => {
    const folder = { id: 'v', label: '', type: 'sendreceive', paused, disableTempIndexes: false, devices: [] } as const
    const { folders } = decode(CLUSTER_CONFIG, writeClusterConfig({ folders: [folder], secondary: false }), 9)
    assert.deepEqual(
      folders.map(({ stop_reason, ignore_permissions }) => [stop_reason, ignore_permissions]),
      [[expected, false]],
    )
  })
}
