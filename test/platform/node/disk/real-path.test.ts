import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferred } from '../../../../src/platform/node/disk/real-path.ts'

const fails = (code: string) => async (): Promise<string> => {
  throw Object.assign(new Error(code), { code })
}

test('where the call of Windows fails, components are looked up one by one', async () => {
  assert.equal(await preferred(async () => 'C:/a', fails('ENOENT')), 'C:/a')
  assert.equal(await preferred(fails('UNKNOWN'), async () => 'C:/a'), 'C:/a')
  await assert.rejects(preferred(fails('UNKNOWN'), fails('ENOENT')), { code: 'ENOENT' })
})
