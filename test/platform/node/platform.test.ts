import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNodePlatform } from '../../../src/platform/node/platform.ts'
import { residentBytesMin } from '../../support/resident-memory.ts'

test('an unused platform starts no threads and does not keep the process running', async () => {
  const before = process.getActiveResourcesInfo().length
  {
    await using platform = createNodePlatform()
    assert.equal(process.getActiveResourcesInfo().length, before)
    assert.ok(platform.system.cpuCount >= 1)
    const { usedBytes, reservedBytes } = platform.system.memoryBytes()
    assert.ok(usedBytes > 0 && reservedBytes >= residentBytesMin())
  }
  assert.equal(process.getActiveResourcesInfo().length, before)
})
