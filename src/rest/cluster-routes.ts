import { CONNECTIONS, PENDING_DEVICES, PENDING_FOLDERS } from './cluster.ts'
import type { Declarations, RouteErrors } from './declaration.ts'
import { DEVICE_OPTIONAL } from './parameters.ts'
import { TEXT } from './schema.ts'

const PAUSE_ERRORS = {
  'bad-request': { status: 500 },
  'device-missing': { status: 404, text: 'not found' },
} as const satisfies RouteErrors

const PAUSED = { schema: TEXT, about: 'The id of the device; all devices when absent.' } as const

/** Other devices: connected, pending and paused. */
export const CLUSTER_ROUTES = {
  'GET /rest/system/connections': {
    scope: 'monitor',
    summary: 'Lists the devices and their connections.',
    reply: { is: 'json', schema: CONNECTIONS },
  },
  'POST /rest/system/pause': {
    scope: 'operate',
    wholeDevice: true,
    summary: 'Pauses a device, or all devices.',
    query: { device: PAUSED },
    reply: { is: 'empty' },
    errors: PAUSE_ERRORS,
  },
  'POST /rest/system/resume': {
    scope: 'operate',
    wholeDevice: true,
    summary: 'Resumes a device, or all devices.',
    query: { device: PAUSED },
    reply: { is: 'empty' },
    errors: PAUSE_ERRORS,
  },
  'GET /rest/cluster/pending/devices': {
    scope: 'monitor',
    summary: 'Lists unknown devices that tried to connect.',
    reply: { is: 'json', schema: PENDING_DEVICES },
  },
  'DELETE /rest/cluster/pending/devices': {
    scope: 'admin',
    summary: 'Removes an unknown device from the list until it connects again.',
    query: { device: DEVICE_OPTIONAL },
    reply: { is: 'empty' },
  },
  'GET /rest/cluster/pending/folders': {
    scope: 'monitor',
    summary: 'Lists folders that other devices offer.',
    query: { device: DEVICE_OPTIONAL },
    reply: { is: 'json', schema: PENDING_FOLDERS },
  },
  'DELETE /rest/cluster/pending/folders': {
    scope: 'admin',
    summary: 'Removes an offered folder from the list until it is offered again.',
    query: { folder: { schema: TEXT, about: 'The id of the folder.' }, device: DEVICE_OPTIONAL },
    reply: { is: 'empty' },
  },
} as const satisfies Declarations
