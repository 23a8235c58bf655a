'use strict';
// ---- filters: words, or comparisons with a column or a parameter; a row is shown when all of them hold ----

// "hot F1 active %" -> "hotf1active"
function plainName(name) {
  return name.toLowerCase().replace(/[^\p{L}\p{N}_#]/gu, '');
}

// "12,960" is written for 12960.
function ungrouped(text) {
  return /^-?\d{1,3}(,\d{3})+$/.test(text) ? text.replace(/,/g, '') : text;
}

function numberOf(text) {
  const plain = ungrouped(text.trim());
  const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?(?=\s*%?$)/i.exec(plain);
  return number ? Number(number[0]) : NaN;
}

// 'mazewisp bin_size=16 similarity>=90 title="two words"' -> [{word}, {name, sign, value}, ...]
function parseFilter(text) {
  return (text.match(/(?:[^\s"]|"[^"]*"?)+/g) || []).map(part => {
    const found = /^([^<>=!"]*)(<=|>=|!=|=|<|>)(.+)$/.exec(part);
    if (!found) return {word: part.replace(/"/g, '').toLowerCase()};
    return {name: plainName(found[1]), sign: found[2], value: found[3].replace(/"/g, '').toLowerCase()};
  });
}

// Numbers as numbers, all else as whole texts; what is missing is nothing's equal, and neither more nor less.
function compare(cell, sign, value) {
  const text = cell.trim().toLowerCase(), a = numberOf(text), b = numberOf(value);
  if (text === '' || text === '–') return sign === '!=';
  const order = isNaN(a) || isNaN(b) ? (text === value ? 0 : NaN) : a - b;
  switch (sign) {
  case '=': return order === 0;
  case '!=': return order !== 0;
  case '<': return order < 0;
  case '<=': return order <= 0;
  case '>': return order > 0;
  default: return order >= 0;
  }
}

// The columns of that name; else those whose names begin so. Of none: parameters, as "bin_size=10" in a cell.
function columnsOf(name, heads) {
  const plain = heads.map(plainName);
  const among = test => plain.map((head, i) => test(head) ? i : -1).filter(i => i >= 0);
  const same = among(head => head === name);
  return same.length ? same : among(head => head.startsWith(name));
}

function parametersOf(name, cells) {
  const found = [];
  for (const cell of cells)
    for (const pair of cell.matchAll(/([\w]+)=(\S+)/g))
      if (plainName(pair[1]) === name) found.push(pair[2]);
  return found;
}

function rowMatches(filter, heads, cells) {
  return filter.every(({word, name, sign, value}) => {
    if (word !== undefined) return cells.some(cell => cell.toLowerCase().includes(word));
    if (name === '') return cells.some(cell => !isNaN(numberOf(cell)) && compare(cell, sign, value));
    const parameters = parametersOf(name, cells), columns = parameters.length ? [] : columnsOf(name, heads);
    return [...parameters, ...columns.map(i => cells[i])].some(cell => compare(cell, sign, value));
  });
}

// Names in a filter that are no column and no parameter of any row.
function unknownNames(filter, heads, rows) {
  return filter.filter(({name}) => name && !columnsOf(name, heads).length && !rows.some(cells => parametersOf(name, cells).length))
    .map(({name}) => name);
}

// Which of two cells stands first: numbers as numbers, what is missing last in either direction.
function cellOrder(x, y, down) {
  const a = parseFloat(ungrouped(x)), b = parseFloat(ungrouped(y));
  if (x === '–' || y === '–') return (x === '–') - (y === '–');
  const order = isNaN(a) || isNaN(b) ? x.localeCompare(y) : a - b;
  return down ? -order : order;
}

// "airmail", "airmail (9 missing)"
function isOfGame(cell, game) {
  return cell === game || cell.startsWith(game + ' ');
}

// ---- cards ----

// How much longer one of two columns is than the other, if cards of these heights follow each other from the first into the second.
function blankBeside(heights) {
  const whole = heights.reduce((sum, height) => sum + height, 0);
  let first = 0, least = whole;
  for (const height of heights) {
    first += height;
    least = Math.min(least, Math.abs(whole - 2 * first));
  }
  return least;
}

// True if the last card should stand alone, with its text beside the picture: much of the page would be blank otherwise.
function isLeftOver(heights) {
  const blank = blankBeside(heights);
  return blank > 150 && blankBeside(heights.slice(0, -1)) < blank / 2;
}

// ---- the address: #game=airmail&graph=worst&tables=1&filter.all=umbel&at=tables; also a place alone, #tables ----

function readAddress(hash) {
  const text = hash.replace(/^#/, '');
  if (!text.includes('=')) return text === '' ? {} : {at: decodeURIComponent(text)};
  return Object.fromEntries(new URLSearchParams(text));
}

function writeAddress(state) {
  const kept = Object.entries(state).filter(([, value]) => value !== '' && value !== undefined);
  return kept.length ? '#' + new URLSearchParams(kept).toString() : '';
}

// ---- the page ----

function startPage() {
  const chooser = document.getElementById('game'), role = document.getElementById('graph');
  const only = document.getElementById('only');
  const inputs = [...document.querySelectorAll('input[data-table]')];
  const first = chooser ? chooser.value : '', firstRole = role ? role.value : '';
  let at = '';

  const textsOf = row => [...row.cells].map(cell => cell.textContent);

  // Sorts a table by the column whose head was clicked; numbers as numbers, what is missing last.
  function sortTable(head) {
    const body = head.closest('table').tBodies[0], column = head.cellIndex;
    const down = head.getAttribute('aria-sort') === 'ascending';
    for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const key = row => row.cells[column].textContent;
    body.append(...[...body.rows].sort((a, b) => cellOrder(key(a), key(b), down)));
  }

  // Shows the rows that the filter lets through, of the game that was chosen where its rows alone are wanted.
  function filterTable(input) {
    const table = document.getElementById(input.dataset.table), rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells].map(cell => cell.textContent), game = heads.indexOf('game');
    const filter = parseFilter(input.value);
    const chosen = only && only.checked && game >= 0 && table.closest('.chosen') ? chooser.value : '';
    let shown = 0;
    for (const row of rows) {
      const texts = textsOf(row);
      row.hidden = !rowMatches(filter, heads, texts) || (chosen !== '' && !isOfGame(texts[game], chosen));
      shown += !row.hidden;
    }
    const unknown = unknownNames(filter, heads, rows.map(textsOf));
    document.getElementById(input.dataset.table + '-n').textContent = shown + ' of ' + rows.length + ' rows' +
      (chosen !== '' ? ', of ' + chosen + ' alone' : '') + (unknown.length ? '; there is no column ' + unknown.join(', ') : '');
  }

  // Wide cards interrupt the two columns. Of the cards between them the last may be left over: on a screen, where each column is
  // filled, by their heights; on paper, where they stand in rows, if their number is odd.
  function placeCards(columns) {
    const cards = [...columns.querySelectorAll('figure')];
    cards.forEach(card => card.classList.remove('aside', 'odd'));
    let between = [];
    for (const card of [...cards.filter(card => card.getClientRects().length > 0), null]) {
      if (card && !card.classList.contains('wide')) {
        between.push(card);
        continue;
      }
      const last = between[between.length - 1];
      if (between.length % 2 === 1) last.classList.add('odd');
      if (last && columns.clientWidth >= 860 && isLeftOver(between.map(one => one.offsetHeight))) last.classList.add('aside');
      between = [];
    }
  }

  function show() {
    for (const part of document.querySelectorAll('[data-game]'))
      part.hidden = chooser.value !== '' && part.dataset.game !== chooser.value;
    for (const part of document.querySelectorAll('[data-role]')) part.hidden = part.dataset.role !== role.value;
    inputs.forEach(filterTable);
    document.querySelectorAll('.figures').forEach(placeCards);
    document.querySelectorAll('.scroll,.pan').forEach(markScroll);
  }

  // What is wider or longer than its frame fades out there.
  function markScroll(frame) {
    frame.classList.toggle('more-right', frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1);
    frame.classList.toggle('more-below', frame.scrollTop + frame.clientHeight < frame.scrollHeight - 1);
  }

  function keep() {
    const state = {game: chooser && chooser.value !== first ? chooser.value || 'all' : '',
                   graph: role && role.value !== firstRole ? role.value : '', tables: only && only.checked ? '1' : ''};
    for (const input of inputs) state['filter.' + input.dataset.table] = input.value;
    state.at = at;
    history.replaceState(null, '', writeAddress(state) || location.pathname + location.search);
  }

  const has = (select, value) => [...select.options].some(option => option.value === value);

  function goTo(id) {
    const place = document.getElementById(id);
    if (!place) return;
    at = id;
    const game = place.closest('[data-game]'), graph = place.closest('[data-role]');
    if (game && game.hidden) chooser.value = game.dataset.game;
    if (graph && graph.hidden) role.value = graph.dataset.role;
    show();
    if (place.tagName === 'DETAILS') place.open = true;
    place.scrollIntoView();
  }

  function restore() {
    const state = readAddress(location.hash);
    if (chooser) {
      const game = state.game === 'all' ? '' : state.game;
      chooser.value = game !== undefined && has(chooser, game) ? game : first;
      role.value = has(role, state.graph) ? state.graph : firstRole;
      only.checked = state.tables === '1';
    }
    for (const input of inputs) input.value = state['filter.' + input.dataset.table] || '';
    at = '';
    show();
    if (state.at) goTo(state.at);
  }

  for (const button of document.querySelectorAll('thead button'))
    button.addEventListener('click', () => sortTable(button.closest('th')));
  for (const input of inputs)
    input.addEventListener('input', () => {
      filterTable(input);
      keep();
    });
  if (chooser) {
    document.querySelector('.chooser').hidden = false;
    chooser.addEventListener('change', () => {
      only.checked = chooser.value !== '';
    });
    for (const control of [chooser, role, only])
      control.addEventListener('change', () => {
        show();
        keep();
      });
  }
  for (const frame of document.querySelectorAll('.scroll,.pan'))
    frame.addEventListener('scroll', () => markScroll(frame));
  addEventListener('resize', show);
  addEventListener('hashchange', restore);
  // A number opens and closes its query; another link goes to its place, and the address keeps the rest.
  for (const link of document.querySelectorAll('a[href^="#"]'))
    link.addEventListener('click', event => {
      const id = link.getAttribute('href').slice(1), place = document.getElementById(id);
      if (!place) return;
      event.preventDefault();
      if (link.classList.contains('n') && place.open) {
        place.open = false;
        at = '';
      } else if (link.classList.contains('n')) {
        place.open = true;
        at = id;
      } else {
        goTo(id);
      }
      keep();
    });
  restore();
}

if (typeof document !== 'undefined') startPage();
