/** The height of rows that are not rendered. */
export function Spacer({ heightPx, columns }: { readonly heightPx: number; readonly columns: number }) {
  return heightPx === 0 ? null : (
    <tr class="spacer" aria-hidden="true" style={{ height: `${heightPx}px` }}>
      <td colSpan={columns} />
    </tr>
  )
}
