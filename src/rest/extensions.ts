import type { Declarations } from './declaration.ts'
import { BOOLEAN, about, map, object } from './schema.ts'

/** The settings that Syncthing does not have. */

const FOLDER_FIELDS = {
  collect: about(BOOLEAN, 'Whether files that other devices delete stay here.'),
  sharedIgnores: about(BOOLEAN, 'Whether the patterns of `.stglobalignore` in the folder are in force here.'),
}
const DRIVE = about(BOOLEAN, 'Whether folders are served as a read-only network drive.')

const EXTENSIONS = object({
  drive: DRIVE,
  folders: about(map(object(FOLDER_FIELDS)), 'The folders with other settings than the defaults, by id.'),
})

const EXTENSIONS_PATCH = object(
  {
    drive: DRIVE,
    folders: about(map(object(FOLDER_FIELDS, ['collect', 'sharedIgnores'])), 'Settings of folders, by id.'),
  },
  ['drive', 'folders'],
)

export const EXTENSION_ROUTES = {
  'GET /rest/twinfold/settings': {
    summary: 'Returns the settings that Syncthing does not have; they are kept in `twinfold-settings.json`.',
    reply: { is: 'json', schema: EXTENSIONS },
  },
  'PATCH /rest/twinfold/settings': {
    summary: 'Changes settings that Syncthing does not have. Absent fields stay as they are.',
    body: { schema: EXTENSIONS_PATCH, about: 'The settings to change.' },
    reply: { is: 'json', schema: EXTENSIONS },
    errors: { 'folder-missing': { status: 404 } },
  },
} as const satisfies Declarations
