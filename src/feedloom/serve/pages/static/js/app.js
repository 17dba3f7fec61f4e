// What our pages do in a browser. Everything listens on the document, so that parts may
// come and go; nothing here evaluates text.
