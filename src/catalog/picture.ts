const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect x="4" y="8" width="40" height="32" rx="5" fill="#3b6ea5"/><rect x="7" y="17" width="34" height="20" rx="2" fill="#fff"/><circle cx="10.5" cy="12.5" r="1.7" fill="#fff"/><circle cx="16" cy="12.5" r="1.7" fill="#fff"/></svg>`;

/** A browser window, as an address that needs no request to anywhere. */
export const defaultPicture = `data:image/svg+xml;base64,${btoa(drawing)}`;
