/** Plans are shown, and asked about before commands that change files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BEN, NASTY, folder, run } from './fake-replies.ts'

const plan = (action: string, effects: readonly object[]) => ({ folder: 'docs', action, effects })
const FETCH = { effect: 'fetch', device: '', items: 3_412, bytes: 5_000_000, examples: [NASTY] }
const DELETE = { effect: 'delete', device: BEN, items: 2, bytes: 0, examples: ['b.txt'] }
const planUrl = (action: string) => `GET /rest/twinfold/plan?folder=docs&action=${encodeURIComponent(action)}`
const typed = (type: string) => ({ 'GET /rest/config/folders': [folder({ type })] })
const answering = (...lines: string[]) => ({
  interactive: true,
  inputLines: async function* () {
    yield* lines
  },
})

test('plan: counts, sizes and an example by place; JSON as it is', async () => {
  const replies = { [planUrl('resume')]: plan('resume', [FETCH, DELETE]) }
  const { code, out } = await run('plan docs', replies)
  assert.equal(code, 0)
  assert.match(
    out,
    /^Folder "docs", resume:\nITEMS +SIZE +WILL BE +WHERE +FOR EXAMPLE\n 3412 +\S+ MiB +fetched +here +evil/,
  )
  assert.match(out, /\n +2 +deleted +ben +b\.txt$/)
  assert.ok(!out.includes('\x1b'))
  assert.deepEqual(JSON.parse((await run('plan docs --json', replies)).out), plan('resume', [FETCH, DELETE]))
  const nothing = await run('plan docs revert', { [planUrl('revert')]: plan('revert', []) })
  assert.equal(nothing.out, 'Folder "docs", revert: no file changes.')
})

test('plan: a device by its name, ignore patterns from the input', async () => {
  const action = `unshare:${BEN}`
  const { out } = await run('plan docs unshare:ben', { [planUrl(action)]: plan(action, []) })
  assert.equal(out, 'Folder "docs", unshare ben: no file changes.')
  const replies = { 'POST /rest/twinfold/plan?folder=docs': plan('ignores', [FETCH]) }
  const { sent } = await run('plan docs --ignores -', replies, answering('*.tmp', '/x'))
  assert.deepEqual(sent, ['POST /rest/twinfold/plan?folder=docs {"ignore":["*.tmp","/x"]}'])
})

const shared = { 'GET /rest/config/folders': [folder({ devices: [{ deviceID: BEN }] })] }

for (const [command, action, replies] of [
  ['folder override docs', 'override', typed('sendonly')],
  ['folder revert docs', 'revert', typed('receiveonly')],
  ['folder set docs --type sendonly', 'type:sendonly', {}],
  ['folder remove docs', 'remove', {}],
  ['device remove ben', `unshare:${BEN}`, shared],
] as const) {
  test(`${command}: shows on a terminal what will happen, and asks`, async () => {
    const given = { ...replies, [planUrl(action)]: plan(action, [DELETE]) }
    for (const lines of [[], [''], ['no'], ['maybe', 'y']]) {
      const { code, err, out, sent } = await run(command, given, answering(...lines))
      assert.deepEqual([code, sent], [1, []])
      assert.match(out, /2 +deleted +ben +b\.txt\nContinue\? \[y\/N\]$/)
      assert.match(err, /nothing was changed; --yes/)
    }
    assert.equal((await run(command, given, answering('y'))).sent.length, 1)
    // Neither a script nor who has agreed is asked: the plan would not be there.
    assert.equal((await run(command, replies)).sent.length, 1)
    assert.equal((await run(`${command} --yes`, replies, answering())).sent.length, 1)
  })
}
