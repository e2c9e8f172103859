import { deviceIdBytes, deviceIdFromBytes } from '../device-id.ts'
import type { DeviceId } from '../ids.ts'
import { ProtocolError } from '../wire/errors.ts'
import { bytes, int64Exact, manyTexts } from '../wire/fields.ts'
import { decode, encode, message } from '../wire/schema.ts'

const MAGIC = Uint8Array.of(0x2e, 0xa7, 0xd9, 0x0b)
/** Packets of versions before 0.14, which have another format. */
const MAGIC_OLD = Uint8Array.of(0x7d, 0x79, 0xbc, 0x40)
const DEVICE_ID_BYTES = 32
const ADDRESSES_MAX = 128
const ANNOUNCE = message({ id: bytes(1), addresses: manyTexts(2), instanceId: int64Exact(3) })

/** A packet of local discovery. Nothing in it is authenticated. */
export interface LocalAnnouncement {
  readonly device: DeviceId
  readonly addresses: readonly string[]
  /** Random, new at each start of the sender. */
  readonly instanceId: bigint
}

export function encodeLocalAnnouncement({ device, addresses, instanceId }: LocalAnnouncement): Uint8Array {
  const body = encode(ANNOUNCE, { id: deviceIdBytes(device), addresses: [...addresses], instanceId })
  return Buffer.concat([MAGIC, body])
}

/** `old` for a packet of an incompatible version; undefined for anything that is not an announcement. */
export function decodeLocalAnnouncement(packet: Uint8Array): LocalAnnouncement | 'old' | undefined {
  if (startsWith(packet, MAGIC_OLD)) return 'old'
  if (!startsWith(packet, MAGIC)) return undefined
  try {
    const { id, addresses, instanceId } = decode(ANNOUNCE, packet.subarray(MAGIC.length), ADDRESSES_MAX)
    return id.length === DEVICE_ID_BYTES ? { device: deviceIdFromBytes(id), addresses, instanceId } : undefined
  } catch (error) {
    if (error instanceof ProtocolError) return undefined
    throw error
  }
}

function startsWith(packet: Uint8Array, magic: Uint8Array): boolean {
  return packet.length >= magic.length && magic.every((byte, at) => packet[at] === byte)
}
