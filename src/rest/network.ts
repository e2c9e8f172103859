import { BOOLEAN, COUNT, TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

/** Schemas about other devices and routers. */

const DEVICE_ID = described(TEXT, 'The id of the device.')

export const DISAGREEMENTS = described(
  list(
    object({
      deviceID: DEVICE_ID,
      folder: described(
        nullable(TEXT),
        'The id of the folder; null where only the device reported it and did not name one.',
      ),
      code: {
        enum: [
          'plain-for-untrusted',
          'already-encrypted',
          'both-encrypted',
          'malformed-token',
          'plain-there',
          'plain-sent',
          'encrypted-there',
          'other-password',
          'untrusted-there',
        ],
      },
      reason: described(TEXT, 'As in the log of both devices.'),
      remedy: described(TEXT, 'What to change.'),
      time: described(TIME, 'When a connection was closed for this reason the last time.'),
    } as const),
  ),
  'Folders whose encryption is configured differently here and on another device: it stays disconnected until then.',
)

export type DisagreementsJson = Static<typeof DISAGREEMENTS>

const MAPPING = object(
  {
    listener: described(TEXT, 'The listen address of the configuration.'),
    protocol: { enum: ['PCP', 'NAT-PMP', 'UPnP', 'UPnP IPv6'] },
    gateway: described(TEXT, 'The address of the router in the local network.'),
    internalPort: COUNT,
    externalAddress: described(
      TEXT,
      'Host and port at which the router can be reached; without a host if it is unknown.',
    ),
    expires: described(TIME, 'Absent for a mapping without an end.'),
    error: described(nullable(TEXT), 'Why the router maps nothing.'),
  } as const,
  ['externalAddress', 'expires'],
)

export const NETWORK = object({
  portMapping: object({
    enabled: BOOLEAN,
    error: described(nullable(TEXT), 'Why no router is asked.'),
    mappings: list(MAPPING),
  }),
})

export type NetworkJson = Static<typeof NETWORK>
