import { LEVEL_NAMES, SERIES_LEVELS } from '../core/series/ring.ts'
import type { Declarations } from './declaration.ts'
import { COUNT, NUMBER, TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

const KIND = { enum: ['in', 'out', 'connected', 'behind', 'free'] } as const

const SERIES = object({
  level: { enum: LEVEL_NAMES } as const,
  stepS: described(COUNT, 'The length of a bucket.'),
  start: described(TIME, 'The start of the first bucket; the last one is the present, which is not complete.'),
  series: list(
    object({
      kind: KIND,
      subject: described(
        TEXT,
        'The ID of a device, or empty for all together (`in`, `out`, `connected`), the id of a folder (`behind`), or ' +
          'the mount point of a disk (`free`).',
      ),
      values: described(
        list(nullable(NUMBER)),
        'One for each bucket, null where nothing is known. `in`, `out`: bytes per second; `connected`: the share of ' +
          'the time, 0 to 1; `behind`: the most items that were needed; `free`: bytes.',
      ),
    }),
  ),
  left: described(COUNT, 'Series that were left out, because the reply would be too long: name a kind or a subject.'),
})

const DISKS = list(
  object({
    path: described(TEXT, 'The mount point.'),
    folders: described(list(TEXT), 'The folders on it; none for a disk that has only the home of this device.'),
    freeBytes: COUNT,
    totalBytes: COUNT,
    forecast: described(
      nullable(
        object({
          full: described(TIME, 'When it is full at this rate.'),
          bytesPerDay: described(NUMBER, 'What it loses by day.'),
          ofDays: described(COUNT, 'The days that the rate was taken from, up to 14.'),
        }),
      ),
      'Null where the free space has no trend, or not enough is known.',
    ),
  }),
)

export type SeriesJson = Static<typeof SERIES>
export type DisksJson = Static<typeof DISKS>

export const SERIES_ROUTES = {
  'GET /rest/twinfold/series': {
    scope: 'monitor',
    summary:
      'Returns figures over time, which survive restarts: ' +
      'by minute for 6 hours, by hour for 5 weeks, by day for 90 days.',
    query: {
      level: { schema: { enum: LEVEL_NAMES }, about: 'The length of the buckets; default hour.' },
      kind: { schema: KIND, about: 'Only series of this kind.' },
      subject: { schema: TEXT, about: 'Only series of this device, folder or disk.' },
      count: {
        schema: { type: 'integer', minimum: 1, maximum: SERIES_LEVELS.hour.slots },
        about: 'The number of buckets, up to the present one; all when absent.',
        strict: true,
      },
    },
    reply: { is: 'json', schema: SERIES },
  },
  'GET /rest/twinfold/disks': {
    scope: 'monitor',
    summary: 'Lists the disks of the folders with their free space, and when they will be full.',
    reply: { is: 'json', schema: DISKS },
  },
} as const satisfies Declarations
