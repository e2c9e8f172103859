import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hello } from '../../src/protocol/types.ts'
import { formatInvitation, parseInvitation } from '../../src/core/invitations/invitation.ts'
import { invitationKey, type InvitationKey } from '../../src/core/invitations/proof.ts'
import { SimRelay } from '../support/sim-relay.ts'
import { InvitedMachines, PHOTOS, type InvitedMachine } from './invited-machines.ts'

const [INVITER, JOINER, OTHER] = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
const DAY_MS = 86_400_000

async function invite(inviter: InvitedMachine, folders = ['photos']): Promise<string> {
  return (await inviter.inviting.create({ folders, type: 'receiveonly' })).text
}

const join = (machine: InvitedMachine, text: string) => machine.inviting.join({ text, check: false })

const joinKeyOf = (text: string): InvitationKey => invitationKey(parseInvitation(text).secret)

/** What its last dials say. */
const failures = ({ machine }: InvitedMachine) =>
  [...machine.connections.status().lastDials.values()].map(({ error }) => error)

test('an invitation connects two devices that did not know each other, with the first dial', async () => {
  await using machines = new InvitedMachines()
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS] })
  const joiner = await machines.add(JOINER!)
  const text = await invite(inviter)
  assert.deepEqual(await joiner.inviting.join({ text, check: true }), {
    device: inviter.id,
    name: inviter.machine.config.devices[0]!.name,
    isKnown: false,
    warnings: [],
    addresses: [`tcp://${INVITER}:22000`],
    expiresMs: Math.floor((machines.clock.nowMs() + DAY_MS) / 1_000) * 1_000,
    folders: [{ id: 'photos', label: '', type: 'receiveonly', path: '/home/photos', isNew: true, exists: false }],
  })
  assert.ok(!joiner.isKnown(inviter.id), 'a check changes nothing')
  await join(joiner, text)
  await machines.pass(500)
  assert.equal(inviter.machine.made[0]?.transport, 'tcp-server', 'the connection with the proof goes on')
  assert.equal(joiner.machine.made.filter(({ transport }) => transport === 'tcp-client').length, 1)
  assert.deepEqual(inviter.machine.unknownDevices, [], 'the device was never pending')
  assert.deepEqual([inviter.shares(joiner.id), joiner.shares(inviter.id)], [[PHOTOS], [PHOTOS]])
  const { name } = inviter.machine.config.devices.find(({ deviceID }) => deviceID === joiner.id)!
  assert.equal(name, joiner.machine.config.devices[0]!.name)
  assert.equal(joiner.machine.config.folders[0]?.type, 'receiveonly')
  assert.deepEqual([inviter.invitations.current, joiner.invitations.current], [EMPTY, EMPTY])
  await machines.pass(60_000)
  assert.equal(inviter.machine.open(joiner.id), joiner.machine.open(inviter.id))
  assert.ok(inviter.machine.open(joiner.id) > 1, 'further connections as between any two devices')
})

const EMPTY = { invitations: [], joins: [] }

test('of two devices with the same invitation one wins, the other one is pending', async () => {
  await using machines = new InvitedMachines()
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS] })
  const joiners = [await machines.add(JOINER!), await machines.add(OTHER!)]
  const text = await invite(inviter)
  await Promise.all(joiners.map((joiner) => join(joiner, text)))
  await machines.pass(5_000)
  const known = joiners.filter(({ id }) => inviter.isKnown(id))
  assert.equal(known.length, 1)
  const loser = joiners.find((joiner) => !known.includes(joiner))!
  assert.ok(inviter.machine.unknownDevices.every(({ device }) => device === loser.id))
  assert.ok(inviter.machine.unknownDevices.length > 0)
  assert.match(failures(loser).join(), /does not accept the invitation: it was used, has expired or was revoked/)
  const late = await machines.add('10.0.0.4')
  await join(late, text)
  await machines.pass(5_000)
  assert.ok(!inviter.isKnown(late.id), 'a string that was stolen after its use')
})

test('a proof of another connection counts as a wrong try, and the fifth one revokes the invitation', async () => {
  await using machines = new InvitedMachines()
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS] })
  const honest = await machines.add(JOINER!)
  const text = await invite(inviter)
  await honest.invitations.addJoin({ ...joinKeyOf(text), device: inviter.id, createdMs: machines.clock.nowMs() })
  const recorded: Uint8Array | undefined = honest.invitations.proofFor({
    device: inviter.id,
    exported: () => new Uint8Array(32),
  })
  const replaying = await machines.add(OTHER!, { gate: { proofFor: () => recorded } })
  await join(replaying, await invite(inviter))
  await machines.pass(100)
  const { id } = joinKeyOf(text)
  assert.equal(inviter.invitations.current.invitations.find((one) => one.id === id)?.triesLeft, 4)
  assert.ok(!inviter.isKnown(replaying.id))
  assert.match(inviter.log.lines.join('\n'), /WARN .* has a wrong proof of invitation .*: 4 more until it is revoked/)
  await inviter.reopen()
  assert.ok(recorded !== undefined)
  await machines.pass(20 * 60_000)
  assert.ok(!inviter.invitations.current.invitations.some((one) => one.id === id))
  assert.match(inviter.log.lines.join('\n'), /it is revoked/)
})

test('the proof is sent to no device but the inviter', async () => {
  await using machines = new InvitedMachines()
  const seen: Hello[] = []
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS] })
  const redeem = async (_: unknown, hello: Hello): Promise<boolean> => {
    seen.push(hello)
    return false
  }
  const middle = await machines.add(OTHER!, { gate: { redeem } })
  const joiner = await machines.add(JOINER!)
  const invitation = parseInvitation(await invite(inviter))
  await join(joiner, formatInvitation({ ...invitation, addresses: [`tcp://${OTHER}:22000`] }))
  await machines.pass(60_000)
  assert.deepEqual([seen, middle.machine.unknownDevices], [[], []])
  assert.match(failures(joiner).join(), /wrong device/)
  assert.ok(!inviter.isKnown(joiner.id))
})

test('a configured device gets the folder of an invitation, also where it is connected already', async () => {
  await using machines = new InvitedMachines()
  const joiner = await machines.add(JOINER!)
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS], known: [joiner.id] })
  await join(joiner, await invite(inviter, []))
  await machines.pass(1_000)
  assert.ok(joiner.machine.open(inviter.id) > 0)
  assert.deepEqual(inviter.shares(joiner.id), [], 'an invitation without a folder connects only')
  await join(joiner, await invite(inviter))
  await machines.pass(30_000)
  assert.deepEqual([inviter.shares(joiner.id), joiner.shares(inviter.id)], [[PHOTOS], [PHOTOS]])
  assert.ok(joiner.machine.open(inviter.id) > 0)
})

test('the clock of the inviter decides, whatever the clock of the other device says', async () => {
  await using machines = new InvitedMachines()
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS] })
  const [early, late] = [
    await machines.add(JOINER!, { skewMs: -5_000 * DAY_MS }),
    await machines.add(OTHER!, { skewMs: 5_000 * DAY_MS }),
  ]
  await join(early, await invite(inviter))
  await join(late, await invite(inviter))
  await machines.pass(5_000)
  assert.ok(inviter.isKnown(early.id) && inviter.isKnown(late.id))
  const tooLate = await machines.add('10.0.0.4')
  const text = await invite(inviter)
  machines.clock.jumpWall(DAY_MS)
  await join(tooLate, text)
  await machines.pass(5_000)
  assert.ok(!inviter.isKnown(tooLate.id))
  assert.deepEqual(inviter.machine.unknownDevices.at(-1)?.device, tooLate.id, 'the usual request')
})

test('both sides of an invitation survive a restart; a folder that was removed meanwhile ends it', async () => {
  await using machines = new InvitedMachines()
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS] })
  const [joiner, other] = [await machines.add(JOINER!), await machines.add(OTHER!)]
  const [text, second] = [await invite(inviter), await invite(inviter)]
  await inviter.reopen()
  machines.network.partition(INVITER!, JOINER!)
  await join(joiner, text)
  await joiner.reopen()
  machines.network.heal(INVITER!, JOINER!)
  await machines.pass(120_000)
  assert.deepEqual(inviter.shares(joiner.id), [PHOTOS])
  inviter.machine.change({ ...inviter.machine.config, folders: [] })
  await join(other, second)
  await machines.pass(5_000)
  assert.ok(!inviter.isKnown(other.id))
  assert.match(inviter.log.lines.join('\n'), /cannot use invitation .*: its folders have been removed/)
})

test('an inviter that cannot save refuses the connection and keeps the invitation', async () => {
  await using machines = new InvitedMachines()
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS] })
  const joiner = await machines.add(JOINER!)
  const text = await invite(inviter)
  inviter.disk.faults.powerOffAt(1)
  await join(joiner, text)
  await machines.pass(2_000)
  assert.ok(!inviter.isKnown(joiner.id))
  inviter.disk.faults.powerOn()
  await machines.pass(10 * 60_000)
  assert.deepEqual(inviter.shares(joiner.id), [PHOTOS])
})

test('an invitation works through a relay, which sees no more than it does of any connection', async () => {
  await using machines = new InvitedMachines()
  const relay = await new SimRelay(machines.network, '192.0.2.9').start()
  const options = { listenAddresses: [relay.address], relaysEnabled: true }
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS], options })
  const joiner = await machines.add(JOINER!, { options: { relaysEnabled: true } })
  await machines.pass(2_000)
  await join(joiner, await invite(inviter))
  await machines.pass(10_000)
  assert.deepEqual(inviter.shares(joiner.id), [PHOTOS])
  assert.equal(inviter.machine.made[0]?.transport, 'relay-server')
  assert.deepEqual(inviter.machine.unknownDevices, [])
})

test('what cannot be joined is refused with the reason, and nothing is changed', async () => {
  await using machines = new InvitedMachines()
  const inviter = await machines.add(INVITER!, { folders: [PHOTOS] })
  const joiner = await machines.add(JOINER!, { folders: [PHOTOS], known: [inviter.id] })
  const text = await invite(inviter)
  await assert.rejects(join(inviter, text), /an invitation of this device; use it on the other one/)
  const { config } = joiner.machine
  const withDevice = (change: object) => ({
    ...config,
    devices: config.devices.map((device) => (device.deviceID === inviter.id ? { ...device, ...change } : device)),
  })
  joiner.machine.change(withDevice({ paused: true }))
  await assert.rejects(join(joiner, text), /is paused here; resume it first/)
  joiner.machine.change(withDevice({ untrusted: true }))
  await assert.rejects(join(joiner, text), /is untrusted here/)
  const encrypted = config.folders.map((folder) => ({ ...folder, type: 'receiveencrypted' as const }))
  joiner.machine.change({ ...config, folders: encrypted })
  await assert.rejects(join(joiner, text), /is encrypted on this device/)
  joiner.machine.change(config)
  await assert.rejects(joiner.inviting.join({ text, path: '/elsewhere', check: true }), /leave out the path/)
  assert.deepEqual(joiner.invitations.current.joins, [])
  await assert.rejects(inviter.inviting.create({ folders: ['x'], type: 'sendonly' }), /there is no folder x/)
})
