import { remoteCommand } from './remote-command.ts'

const LEVELS = ['minute', 'hour', 'day'] as const

export const SERIES = remoteCommand({
  name: 'series',
  group: 'status',
  summary: 'show rates, items behind, free space and connections over time',
  description:
    'Shows figures that survive restarts, a character for each bucket: rates, items that folders were behind, free ' +
    'space, and how long each device was connected on each of the last 30 days; a dot is a time of which nothing is ' +
    'known. A disk that loses space steadily has a forecast.',
  flags: [
    {
      name: 'level',
      value: 'LEVEL',
      check: (text) => (LEVELS.some((level) => level === text) ? undefined : `it must be one of ${LEVELS.join(', ')}`),
      description: 'The length of the buckets: minute (an hour), hour (2 days) or day (30 days, the default)',
    },
  ],
  examples: ['series', 'series --level hour', 'series --json'],
  remote: async ({ context, connection: { client }, flags }) => {
    const level = LEVELS.find((each) => each === flags.text('level')) ?? 'day'
    return (await import('./series-command.ts')).series(context, client, { level, json: flags.isOn('json') })
  },
})
