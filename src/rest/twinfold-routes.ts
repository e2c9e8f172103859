import type { Declarations, RouteErrors } from './declaration.ts'
import { FOLDER } from './parameters.ts'
import { TEXT } from './schema.ts'
import { UPGRADE_DETAILS } from './upgrade.ts'
import {
  CONFLICTS,
  IGNORE_PREVIEW,
  IGNORE_PREVIEW_BODY,
  PULSE,
  SEARCH,
  SUMMARY,
  TREE,
  WAITING,
  WHY,
} from './twinfold.ts'

const SMALL_PAGING = {
  page: { schema: { type: 'integer', minimum: 1, maximum: 1_000_000 }, about: 'Which page, from 1.', strict: true },
  perpage: {
    schema: { type: 'integer', minimum: 1, maximum: 500 },
    about: 'Entries on a page, 100 unless told.',
    strict: true,
  },
} as const

const NO_FOLDER = {
  'folder-missing': { status: 404 },
  'folder-not-running': { status: 404 },
} as const satisfies RouteErrors

/** What the page of the device asks, which Syncthing's interface has no answer to. */
export const TWINFOLD_ROUTES = {
  'GET /rest/twinfold/summary': {
    summary: 'Tells all at once what a page needs to begin with: folders, devices, and who wants something.',
    reply: { is: 'json', schema: SUMMARY },
  },
  'GET /rest/twinfold/pulse': {
    summary:
      'Tells what has no events: bytes in and out by device, and whether it is still the same run that tells it.',
    reply: { is: 'json', schema: PULSE },
  },
  'GET /rest/twinfold/upgrade': {
    summary: 'Shows what the last check for a newer release found, what changed, and how to upgrade. Asks nobody.',
    reply: { is: 'json', schema: UPGRADE_DETAILS },
  },
  'GET /rest/twinfold/tree': {
    summary: 'Lists one directory of a folder: what is in it, whether it is here, and who has which version.',
    query: {
      folder: FOLDER,
      prefix: { schema: TEXT, about: 'The path of the directory; the top when absent.' },
      ...SMALL_PAGING,
    },
    reply: { is: 'json', schema: TREE },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/waiting': {
    summary:
      'Lists what a folder still needs, in the order of downloading, each item with the reason why it is not here yet.',
    query: { folder: FOLDER, ...SMALL_PAGING },
    reply: { is: 'json', schema: WAITING },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/why': {
    summary: 'Tells why a file is here or is not.',
    query: {
      folder: FOLDER,
      file: { schema: TEXT, about: 'The path of the file, as the index has it.', required: true },
    },
    reply: { is: 'json', schema: WHY },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/search': {
    summary:
      'Finds names that contain a text, in upper or lower case. With a slash in the text, whole paths are looked at.',
    query: {
      folder: FOLDER,
      text: { schema: TEXT, about: 'What to look for, up to 200 characters.', required: true },
      limit: {
        schema: { type: 'integer', minimum: 1, maximum: 200 },
        about: 'How many to show, 200 unless told.',
        strict: true,
      },
    },
    reply: { is: 'json', schema: SEARCH },
    errors: NO_FOLDER,
  },
  'POST /rest/twinfold/ignore-preview': {
    summary: 'Shows which known names these ignore patterns would leave out. Nothing is changed.',
    query: { folder: FOLDER },
    body: { schema: IGNORE_PREVIEW_BODY, about: 'The lines of the file as it would be.' },
    reply: { is: 'json', schema: IGNORE_PREVIEW },
    errors: NO_FOLDER,
  },
  'GET /rest/twinfold/conflicts': {
    summary: 'Lists the conflict copies in a folder that exist here.',
    query: { folder: FOLDER, ...SMALL_PAGING },
    reply: { is: 'json', schema: CONFLICTS },
    errors: NO_FOLDER,
  },
} as const satisfies Declarations
