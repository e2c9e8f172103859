import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Daemon } from '../support/daemon.ts'
import { reportRow } from '../support/effort.ts'
import { loopbackOnly } from '../support/loopback.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { apiKeyOf, generateSyncthingHome, missingSyncthing, quietConfig, Syncthing } from '../support/syncthing.ts'
import { check, type Agreement } from './agreement.ts'
import { ADDRESS, Served, type Outcome } from './cli-served.ts'

const skip = missingSyncthing() ?? false
const OTHER = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'

const scratch = scratchDirectory()
const ignores = join(scratch.path, 'ignores')
let daemon: Daemon | undefined
let real: Syncthing | undefined
let ours: Served
let theirs: Served

before(async () => {
  if (skip !== false) return
  const homes = { twinfold: join(scratch.path, 'twinfold'), syncthing: join(scratch.path, 'syncthing') }
  for (const home of Object.values(homes)) mkdirSync(home, { mode: 0o700 })
  writeFileSync(ignores, '*.tmp\n(?d).DS_Store\n')
  generateSyncthingHome(homes.syncthing)
  quietConfig(homes.syncthing)
  real = new Syncthing({ home: homes.syncthing, guiAddress: ADDRESS })
  daemon = new Daemon({ home: homes.twinfold, before: loopbackOnly(), guiAddress: ADDRESS })
  await eventually('the configuration', () => apiKeyOf(homes.twinfold) || undefined)
  ours = await new Served('twinfold', daemon.child, homes.twinfold).ready()
  theirs = await new Served('syncthing', real.child, homes.syncthing).ready()
})

after(async () => {
  await daemon?.[Symbol.asyncDispose]()
  await real?.stop()
  scratch[Symbol.dispose]()
})

interface Step {
  readonly args: readonly string[]
  readonly agree: Agreement
}

const step = (args: string, agree: Agreement = 'exact'): Step => ({
  args: args.split(' ').map((word) => (word === "''" ? '' : word)),
  agree,
})
const folder = join(scratch.path, 'share')

/** One way through everything that Debian's command line can do without falling over; it ends where it began. */
const STEPS: readonly Step[] = [
  step('show version'),
  step('show config-status'),
  step('show system', 'shape'),
  step('show connections', 'shape'),
  step('show usage', 'shape'),
  step('show pending devices'),
  step('show pending folders'),
  step(`show pending folders --device ${OTHER}`),
  step('show version extra', 'code'),
  step('show nope', 'code'),
  step('nope', 'code'),
  step('config nope', 'code'),

  step('config version get'),
  step('config folders list'),
  step('config devices list'),
  step('config dump-json', 'contains'),
  step(`config folders add --id share --path=${folder} -label Share --paused --fswatcher-enabled=false`),
  step('config folders list'),
  step('config folders share label get'),
  step('config folders share path get'),
  step('config folders share paused get'),
  step('config folders share fswatcher-enabled get'),
  step('config folders share label set Pictures'),
  step('config folders share label get'),
  step('config folders share label set'),
  step('config folders share label set a b', 'code'),
  step('config folders share label get extra', 'code'),
  step('config folders share rescan-intervals set 77'),
  step('config folders share rescan-intervals get'),
  step('config folders share rescan-intervals set x', 'code'),
  step('config folders share paused set maybe', 'code'),
  step('config folders share ignore-perms set 1'),
  step('config folders share ignore-perms get'),
  step('config folders share type set sendonly'),
  step('config folders share type get'),
  step('config folders share order set newestFirst'),
  step('config folders share order get'),
  step('config folders share min-disk-free value set 2.5'),
  step('config folders share min-disk-free unit set GB'),
  step('config folders share min-disk-free dump-json'),
  step('config folders share versioning type set simple'),
  step('config folders share versioning params set keep 5'),
  step('config folders share versioning params set cleanoutDays 7'),
  step('config folders share versioning params get keep'),
  step('config folders share versioning params unset cleanoutDays'),
  step('config folders share versioning params dump'),
  step('config folders share versioning dump-json'),
  step('config folders share dump-json', 'contains'),
  step('config folders share versioning params keep get', 'code'),
  step('config folders share nope get', 'code'),
  step('config folders nope label get', 'code'),
  step(`config devices add --device-id ${OTHER} --name other --max-send-kbps 3 --paused`),
  step(`config devices ${OTHER} name get`),
  step(`config devices ${OTHER} addresses 0 get`),
  step(`config devices ${OTHER} max-send-kbps get`),
  step(`config devices ${OTHER} addresses add tcp://127.0.0.1:9`),
  step(`config devices ${OTHER} addresses list`),
  step(`config devices ${OTHER} addresses 1 set tcp://127.0.0.1:8`),
  step(`config devices ${OTHER} addresses 1 get`),
  step(`config devices ${OTHER} addresses 1 delete`),
  step(`config devices ${OTHER} addresses list`),
  step(`config devices ${OTHER} addresses 5 get`, 'code'),
  step(`config devices ${OTHER} dump-json`, 'contains'),
  step(`config folders share devices add --device-id ${OTHER}`),
  step('config folders share devices list'),
  step(`config folders share devices ${OTHER} encryption-password set secret`),
  step(`config folders share devices ${OTHER} dump-json`),
  step(`config folders share devices ${OTHER} delete`),
  step('config folders share devices list'),
  step(`config devices ${OTHER} delete`),
  step('config devices list'),
  step('config devices add --device-id bad', 'code'),
  step('config devices add', 'code'),
  step('config folders add --nope=x', 'code'),
  step('config devices add-json {', 'code'),
  step(`config folders add-json {"id":"second","path":"${folder}2","paused":true}`),
  step('config folders second paused get'),
  step(`config folders add --id second --path ${folder}3`, 'code'),
  step('config folders second id set third'),
  step('config folders list'),
  step('config folders third delete'),
  step('config options max-send-kbps set -- 5'),
  step('config options max-send-kbps get'),
  step('config options max-send-kbps set 0'),
  step('config options natenabled get'),
  step('config options always-local-nets add 10.0.0.0/8'),
  step('config options always-local-nets list'),
  step('config options always-local-nets 0 get'),
  step('config options always-local-nets 0 delete'),
  step('config options always-local-nets list'),
  step('config options nope get', 'code'),
  step('config options dump-json', 'contains'),
  step('config gui raw-address get'),
  step('config gui apikey get'),
  step('config gui theme set black'),
  step('config gui theme get'),
  step('config gui theme set default'),
  step('config gui address get', 'code'),
  step('config gui dump-json', 'contains'),
  step('config ldap search-filter set (cn=*)'),
  step('config ldap search-filter get'),
  step("config ldap search-filter set ''"),
  step('config ldap dump-json'),
  step('config defaults folder label set new'),
  step('config defaults folder label get'),
  step("config defaults folder label set ''"),
  step('config defaults device introducer get'),
  step('config defaults dump-json', 'contains'),
  step(`operations default-ignores ${ignores}`),
  step('config defaults ignores lines list'),
  step('config defaults ignores lines 1 get'),
  step('config defaults ignores lines 1 delete'),
  step('config defaults ignores lines 0 delete'),
  step('config defaults ignores dump-json'),
  step('operations default-ignores /no/such/file', 'code'),
  step('operations default-ignores', 'code'),
  step('operations folder-override nope', 'code'),
  step('operations folder-override share'),
  step('operations nope', 'code'),
  step('errors clear'),
  step('errors show'),
  step('debug file share nope', 'code'),
  step('debug nope', 'code'),
  step('config folders share delete'),
  step('config folders list'),
  step('show config-status'),
]

for (const which of ['twinfold', 'syncthing'] as const) {
  test(`Debian's "syncthing cli" and ours print and do the same on a running ${which}`, { skip }, async () => {
    const served = which === 'twinfold' ? ours : theirs
    const outcomes: Outcome[] = []
    for (const { args } of STEPS) {
      let outcome = await served.syncthing(...args)
      // After a change of its GUI settings a Syncthing sometimes closes the listener before it has replied.
      for (let tries = 1; tries < 5 && outcome.err.endsWith('EOF\n'); tries++) outcome = await served.syncthing(...args)
      outcomes.push(outcome)
    }
    const answers = await served.twinfold(STEPS.map(({ args }) => args))
    assert.equal(answers.length, STEPS.length)
    const wrong: string[] = []
    for (const [index, each] of STEPS.entries()) {
      try {
        check(each.agree, outcomes[index]!, answers[index]!)
      } catch (error) {
        wrong.push(`${each.args.join(' ')}: ${error instanceof Error ? error.message : error}
          syncthing: ${JSON.stringify(outcomes[index])}\n          twinfold: ${JSON.stringify(answers[index])}`)
      }
    }
    assert.equal(wrong.join('\n'), '')
    reportRow({ id: `CLI-${which}`, tried: STEPS.length })
  })
}

/** What Syncthing's own help offers where these args lead; it has the settings of the program itself above. */
async function offeredBySyncthing(args: readonly string[]): Promise<string[]> {
  const { out } = await ours.syncthing(...args, ...(args[0] === 'config' ? [] : ['--help']))
  return offered(out.slice(out.search(/^commands:/im)))
}

/**
 * The args that a help text offers: indented, alone or before their explanation; there may be those before them that
 * lead there.
 */
function offered(help: string): string[] {
  return [...help.matchAll(/^ +(?:--|cli [a-z]+ )?([a-z][a-z-]*)(?: +value.*|  .*| *)$/gm)].map((match) => match[1]!)
}

test("every word of Debian's command line is one of ours", { skip }, async () => {
  const places = [
    '',
    'folders',
    'devices',
    'options',
    'gui',
    'ldap',
    'defaults',
    'defaults folder',
    'defaults device',
    'defaults ignores',
    'defaults folder versioning',
    'defaults folder versioning params',
    'defaults folder min-disk-free',
    'defaults folder devices',
  ]
  const commands = ['show', 'operations', 'errors', 'debug', ...places.map((place) => `config ${place}`.trim())].map(
    (text) => text.split(' '),
  )
  const answers = await ours.twinfold(commands)
  const missing: string[] = []
  let args = 0
  for (const [index, command] of commands.entries()) {
    const known = offered(answers[index]!.out)
    const wanted = await offeredBySyncthing(command)
    assert.ok(wanted.length > 0, command.join(' '))
    args += wanted.length
    missing.push(...wanted.filter((word) => !known.includes(word)).map((word) => `${command.join(' ')} ${word}`))
  }
  // A dump of a database that we do not have.
  assert.deepEqual(missing, ['debug index'])
  reportRow({ id: 'CLI-args', tried: args })
})

test('commands from standard input: the same lines give the same output', { skip }, async () => {
  const lines = `show config-status\nconfig folders add --id "a b" --path '${folder}4' --paused\nconfig version get\n`
  for (const run of [() => ours.twinfoldProcess(['-'], lines), () => ours.syncthingLines(lines)]) {
    const [header, ...rest] = (await run()).out.split('\n')
    assert.match(header!, /^Reading commands from stdin\.\.\./)
    assert.deepEqual(rest, ['{', '  "requiresRestart": false', '}', '37', ''])
    const [list, remove] = await ours.twinfold([
      ['config', 'folders', 'list'],
      ['config', 'folders', 'a b', 'delete'],
    ])
    assert.deepEqual([list!.out, remove!.code], ['a b\n', 0])
  }

  const broken = await ours.twinfoldProcess(['-'], 'nope\n"open\nconfig version get\n')
  assert.deepEqual([broken.code, broken.out.split('\n')[1]], [0, '37'])
  assert.match(broken.err, /^Error: unexpected argument nope\nError: a " is not closed\n$/)
})

test('"operations shutdown" of Debian\'s command line stops a running Twinfold in order', { skip }, async () => {
  assert.deepEqual(await ours.syncthing('operations', 'shutdown'), { code: 0, out: '', err: '' })
  assert.equal(await daemon?.ended(), 0)
})
