import { CONNECTIONS, PENDING_DEVICES, PENDING_FOLDERS } from './cluster.ts'
import type { Declarations, RouteErrors } from './declaration.ts'
import { DEVICE_OPTIONAL } from './parameters.ts'
import { TEXT } from './schema.ts'

const PAUSE_ERRORS = {
  'bad-request': { status: 500 },
  'device-missing': { status: 404, words: 'not found' },
} as const satisfies RouteErrors

const PAUSED = { schema: TEXT, about: 'The id of the device; all devices when absent.' } as const

/** Other devices: who is connected, who wants to be, and who shall not be for now. */
export const CLUSTER_ROUTES = {
  'GET /rest/system/connections': {
    summary: 'Tells which devices are connected, and how.',
    reply: { is: 'json', schema: CONNECTIONS },
  },
  'POST /rest/system/pause': {
    summary: 'Stops talking to a device, or to all.',
    query: { device: PAUSED },
    reply: { is: 'empty' },
    errors: PAUSE_ERRORS,
  },
  'POST /rest/system/resume': {
    summary: 'Talks to a device again, or to all.',
    query: { device: PAUSED },
    reply: { is: 'empty' },
    errors: PAUSE_ERRORS,
  },
  'GET /rest/cluster/pending/devices': {
    summary: 'Lists unknown devices that tried to connect.',
    reply: { is: 'json', schema: PENDING_DEVICES },
  },
  'DELETE /rest/cluster/pending/devices': {
    summary: 'Forgets an unknown device until it tries again.',
    query: { device: DEVICE_OPTIONAL },
    reply: { is: 'empty' },
  },
  'GET /rest/cluster/pending/folders': {
    summary: 'Lists folders that other devices offer.',
    query: { device: DEVICE_OPTIONAL },
    reply: { is: 'json', schema: PENDING_FOLDERS },
  },
  'DELETE /rest/cluster/pending/folders': {
    summary: 'Forgets an offered folder until it is offered again.',
    query: { folder: { schema: TEXT, about: 'The id of the folder.' }, device: DEVICE_OPTIONAL },
    reply: { is: 'empty' },
  },
} as const satisfies Declarations
