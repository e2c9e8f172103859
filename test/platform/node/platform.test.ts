import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNodePlatform } from '../../../src/platform/node/platform.ts'

test('a platform that nobody asks anything of starts no threads and keeps nothing alive', async () => {
  const before = process.getActiveResourcesInfo().length
  {
    await using platform = createNodePlatform()
    assert.equal(process.getActiveResourcesInfo().length, before)
    assert.ok(platform.system.cpuCount >= 1)
    const { usedBytes, reservedBytes } = platform.system.memoryBytes()
    assert.ok(usedBytes > 0 && reservedBytes >= 1_000_000)
  }
  assert.equal(process.getActiveResourcesInfo().length, before)
})
