'use strict';
// Drives iovalkey 0; package compat says what it is asked and what it prints.

const { main } = require('../node-common/program');
const driver = require('../node-common/ioredis');

main(driver, require('iovalkey'));
