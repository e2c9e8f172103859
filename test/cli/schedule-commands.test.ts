/** Weekly rules by commands, timed pauses, and what status and why say of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BEN, folder, run } from './fake-replies.ts'

const PATH = '/rest/twinfold/schedule'
const RULE = {
  name: 'night',
  days: ['mon', 'tue'],
  from: '22:00',
  to: '06:00',
  folder: 'docs',
  device: null,
  pause: true,
  maxSendKbps: null,
  maxRecvKbps: null,
}
const UNTIL = new Date(2026, 6, 2, 6).toISOString()
const PAUSE = { kind: 'folder', id: 'docs', rule: 'night', until: UNTIL }
const STATUS = {
  timeZone: 'Europe/Berlin',
  rules: [{ ...RULE, until: UNTIL }],
  pauses: [PAUSE],
  nextChange: UNTIL,
  metered: 'unknown',
  battery: 'off',
  sleep: { state: 'failed', problem: 'systemd-inhibit cannot be started' },
}

test('schedule add: folders and devices by name; either a pause or a limit', async () => {
  const added = { [`POST ${PATH}`]: RULE }
  const words = 'schedule add night --from 22:00 --to 06:00 --days mon,tue --folder Papers --pause'
  const { code, out, sent } = await run(words, added)
  assert.deepEqual([code, out], [0, 'Rule "night": folder docs, mon,tue, 22:00-06:00: pause.'])
  const body = { name: 'night', from: '22:00', to: '06:00', days: ['mon', 'tue'], folder: 'docs', pause: true }
  assert.deepEqual(sent, [`POST ${PATH} ${JSON.stringify(body)}`])
  const limit = await run('schedule add day --from 08:00 --to 18:00 --device ben --send 100 --receive 0', added)
  const limits = {
    name: 'day',
    from: '08:00',
    to: '18:00',
    device: BEN,
    pause: false,
    maxSendKbps: 100,
    maxRecvKbps: 0,
  }
  assert.deepEqual(limit.sent, [`POST ${PATH} ${JSON.stringify(limits)}`])
  for (const [bad, message] of [
    ['--from 22:00 --to 06:00', /either --pause/],
    ['--from 22:00 --to 06:00 --pause --send 5', /either --pause/],
    ['--from 22:00 --pause', /--from and --to/],
    ['--from 22.00 --to 06:00 --pause', /such as 22:00/],
  ] as const) {
    const refused = await run(`schedule add x ${bad}`)
    assert.deepEqual([message.test(refused.err), refused.sent], [true, []], `${bad}: ${refused.err}`)
    assert.notEqual(refused.code, 0)
  }
})

test('schedule list: rules with what is in force, conditions, and why the machine may sleep', async () => {
  const { out } = await run('schedule list', { [`GET ${PATH}`]: STATUS })
  assert.match(out, /night +mon,tue +22:00-06:00 +folder docs +pause +until 2026-07-02 06:00/)
  assert.match(out, /Folder: +docs: paused by the rule night until 2026-07-02 06:00/)
  assert.match(out, /Metered connection: +not known on this machine/)
  assert.match(out, /On battery: +not checked/)
  assert.match(out, /Kept awake: +no: systemd-inhibit cannot be started/)
  assert.deepEqual(JSON.parse((await run('schedule list --json', { [`GET ${PATH}`]: STATUS })).out), STATUS)
  const removed = await run('schedule remove night', { [`DELETE ${PATH}/night`]: '' })
  assert.deepEqual([removed.out, removed.sent], ['Removed the rule "night".', [`DELETE ${PATH}/night`]])
})

test('why and the list say by which rule a folder is paused, and until when', async () => {
  const scheduled = { [`GET ${PATH}`]: STATUS }
  const text = 'paused by the rule night until 2026-07-02 06:00'
  assert.match((await run('why docs', scheduled)).out, new RegExp(`- it is ${text}: nothing in it is scanned`))
  assert.match((await run('folder list', scheduled)).out, /docs +Papers +sendreceive +paused/)
  const reason = { code: 'paused', text: `the folder is paused until ${UNTIL}: nothing`, until: UNTIL }
  const why = { upToDate: false, reasons: [reason], global: null, local: null }
  const file = await run('why docs a.txt', { 'GET /rest/twinfold/why?folder=docs&file=a.txt': why })
  assert.match(file.out, /- the folder is paused until 2026-07-02 06:00: nothing/)
  const timed = {
    'GET /rest/config/folders': [folder({ paused: true })],
    'GET /rest/twinfold/summary': { pauses: [{ kind: 'folder', id: 'docs', until: UNTIL }] },
  }
  assert.match((await run('why docs', timed)).out, /- it is paused until 2026-07-02 06:00: nothing in it is scanned/)
})

test('a pause for a time', async () => {
  const { out, sent } = await run('folder pause docs --for 2h', { 'POST /rest/twinfold/pause': '' })
  assert.deepEqual(
    [out, sent],
    ['Folder "docs" is paused for 2 h.', ['POST /rest/twinfold/pause?folder=docs&seconds=7200']],
  )
  const device = await run('device pause ben --for 30m', { 'POST /rest/twinfold/pause': '' })
  assert.deepEqual(device.sent, [`POST /rest/twinfold/pause?device=${BEN}&seconds=1800`])
  assert.match((await run('folder pause docs --for 1y')).err, /at most 30d/)
})
