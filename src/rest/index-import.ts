import { described, COUNT, nullable, object, TEXT, type Static } from './schema.ts'

export const INDEX_IMPORT = described(
  nullable(
    object({
      version: described(TEXT, 'Of Syncthing: `1.x` or `2.x`.'),
      folder: described(TEXT, 'The id of the folder being imported; empty before the first.'),
      folderNumber: described(COUNT, 'Its place among all folders, from 1.'),
      folderCount: COUNT,
      items: described(COUNT, 'The items of this folder that are imported.'),
      totalItems: described(COUNT, 'About how many it has.'),
    }),
  ),
  'How far the import of the index of Syncthing is; null when none runs. Folders and connections start after it.',
)

export type IndexImportJson = Static<typeof INDEX_IMPORT>

export const INDEX_IMPORT_REPLY = object({ progress: INDEX_IMPORT })
