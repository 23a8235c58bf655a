'use strict';
// Sorts a table by the column whose head was clicked; numbers as numbers, what is missing last.
function sortTable(head) {
  const table = head.closest('table'), body = table.tBodies[0], column = head.cellIndex;
  const down = head.getAttribute('aria-sort') === 'ascending';
  for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const key = row => row.cells[column].textContent;
  const compare = (a, b) => {
    const x = key(a), y = key(b), p = parseFloat(x), q = parseFloat(y);
    if (x === '–' || y === '–') return (x === '–') - (y === '–');
    const order = isNaN(p) || isNaN(q) ? x.localeCompare(y) : p - q;
    return down ? -order : order;
  };
  body.append(...[...body.rows].sort(compare));
}
for (const button of document.querySelectorAll('thead button'))
  button.addEventListener('click', () => sortTable(button.closest('th')));

// Shows the rows that have every word of the filter.
function filterTable(input) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const table = document.getElementById(input.dataset.table);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const text = [...row.cells].map(cell => cell.textContent.toLowerCase());
    row.hidden = !words.every(word => text.some(cell => cell.includes(word)));
    shown += !row.hidden;
  }
  document.getElementById(input.dataset.table + '-n').textContent =
    shown + ' of ' + table.tBodies[0].rows.length + ' rows';
}
for (const input of document.querySelectorAll('input[data-table]')) {
  input.addEventListener('input', () => filterTable(input));
  filterTable(input);
}

// One game at a time; the address keeps the choice.
const chooser = document.getElementById('game');
function showGame() {
  for (const part of document.querySelectorAll('[data-game]'))
    part.hidden = chooser.value !== '' && part.dataset.game !== chooser.value;
}
if (chooser) {
  chooser.closest('.chooser').hidden = false;
  chooser.addEventListener('change', showGame);
  showGame();
}

const role = document.getElementById('role');
function showRole() {
  for (const part of document.querySelectorAll('[data-role]')) part.hidden = part.dataset.role !== role.value;
}
if (role) {
  role.addEventListener('change', showRole);
  showRole();
}

// A number leads to its query.
function openQuery() {
  const query = document.getElementById(location.hash.slice(1));
  if (query && query.tagName === 'DETAILS') query.open = true;
}
addEventListener('hashchange', openQuery);
for (const number of document.querySelectorAll('a.n'))
  number.addEventListener('click', event => {
    event.preventDefault();
    const query = document.getElementById(number.getAttribute('href').slice(1));
    query.open = !query.open;
  });
openQuery();
