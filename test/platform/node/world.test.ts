import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRealWorld } from '../../../src/platform/node/platform.ts'

test('a world that nobody asks anything of starts no threads and keeps nothing alive', async () => {
  const before = process.getActiveResourcesInfo().length
  {
    await using world = createRealWorld()
    assert.equal(process.getActiveResourcesInfo().length, before)
    assert.ok(world.system.cpuCount >= 1)
    const { usedBytes, reservedBytes } = world.system.memoryBytes()
    assert.ok(usedBytes > 0 && reservedBytes >= 1_000_000)
  }
  assert.equal(process.getActiveResourcesInfo().length, before)
})
