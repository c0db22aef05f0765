'use strict';
// Drives node-redis 5; package compat says what it is asked and what it prints.

const { main } = require('../node-common/program');
const driver = require('../node-common/node-redis');

main(driver, require('redis'));
