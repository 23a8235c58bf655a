// page.js PLOTS/PAGE.JS: the functions of the report's page that need no browser. Prints what is wrong, or nothing.
const fs = require('fs');
const code = fs.readFileSync(process.argv[2], 'utf8');
const page = new Function(code + '; return {parseFilter, rowMatches, unknownNames, readAddress, writeAddress, isOfGame, cellOrder, blankBeside, isLeftOver};')();

function expect(what, got, wanted) {
  const text = JSON.stringify(got);
  if (text !== JSON.stringify(wanted)) console.log(what + ': ' + text + ', not ' + JSON.stringify(wanted));
}

const heads = ['game', '#', 'technique', 'parameters', 'edges', 'similarity %', 'active %', 'hot F1 active %'];
const rows = [
  ['airmail', '1', 'gaussian', 'bin_size=10 window_size=13', '120', '90.0', '64.2', '71.0'],
  ['airmail', '2', 'gaussian', 'bin_size=16 window_size=6', '95', '86.8', '–', '70.5'],
  ['mazewisp', '13', 'gaussian', 'bin_size=1 window_size=1', '11,000', '9', '84.0', '64.2'],
  ['mazewisp (movie=2)', '–', 'observed', '', '–', '100', '100', '95.7'],
];
const filters = {
  '': '0123',
  'airmail': '01',
  'AIRMAIL gauss': '01',
  'bin_size=1': '2',
  'bin_size=10': '0',
  'bin_size>=10': '01',
  'bin_size!=1': '01',
  'window_size<13 airmail': '1',
  '#=1': '0',
  '#>1': '12',
  'similarity>90': '3',
  'similarity>=90': '03',
  'similarity<=90': '012',
  'similarity<90': '12',
  'similarity=90': '0',
  'similarity=9': '2',
  'edges>90': '012',
  'edges>90 edges<1000': '01',
  'edges=11000': '2',
  'edges>10,999': '2',
  'active<90': '02',
  'active!=64.2': '123',
  'hot>71': '3',
  'hotf1active>=71': '03',
  'technique=gauss': '',
  'technique=gaussian': '012',
  '>900': '2',
  '>=100': '023',
  'game="mazewisp (movie=2)"': '3',
  '"gaussian"': '012',
  'nosuch=1': '',
};
for (const [text, wanted] of Object.entries(filters)) {
  const filter = page.parseFilter(text);
  expect('filter ' + text, rows.map((row, i) => page.rowMatches(filter, heads, row) ? i : '').join(''), wanted);
}
expect('unknown', page.unknownNames(page.parseFilter('nosuch=1 bin_size=3 similarity>1 word'), heads, rows), ['nosuch']);

const numbers = ['1,160', '–', '981', '12', '1,000,000', '-3', '10,000', '90.0'];
const sorted = ['-3', '12', '90.0', '981', '1,160', '10,000', '1,000,000'];
expect('ascending', [...numbers].sort((a, b) => page.cellOrder(a, b, false)), [...sorted, '–']);
expect('descending', [...numbers].sort((a, b) => page.cellOrder(a, b, true)), [...sorted].reverse().concat('–'));
expect('words', ['umbel', 'airmail'].sort((a, b) => page.cellOrder(a, b, false)), ['airmail', 'umbel']);

expect('game', ['airmail', 'airmail (9 missing)', 'airmail-2'].map(cell => page.isOfGame(cell, 'airmail')), [true, true, false]);

const state = {game: 'airmail', graph: 'worst', tables: '1', 'filter.all-t': 'bin_size=16 similarity>=90 & "two words" #1', at: ''};
const address = page.writeAddress(state);
const {at, ...kept} = state;
expect('address', page.readAddress(address), kept);
expect('a place', page.readAddress('#tables'), {at: 'tables'});
expect('nothing', page.readAddress(''), {});
expect('nothing chosen', page.writeAddress({game: '', at: ''}), '');

// Cards follow each other from the first column into the second.
expect('columns', [[], [400], [400, 400], [400, 300, 350], [500, 520, 490, 400, 430]].map(page.blankBeside), [0, 400, 0, 250, 300]);
expect('left over', [[], [400], [400, 400], [400, 300, 350], [500, 520, 490, 400, 430], [100], [400, 420, 380, 410, 700]].map(page.isLeftOver),
  [false, true, false, true, true, false, false]);
